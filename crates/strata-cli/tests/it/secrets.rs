//! `strata secrets`.

use std::fs;

use crate::strata::Computer;

/// Put together here, so that nobody takes it for one.
fn key() -> String {
    format!("sk-ant-api03-{}", "Ab3dEf6hIj".repeat(9))
}

#[test]
fn the_store_says_what_it_keeps_and_masks_it_for_good() {
    let computer = Computer::new();
    let store = computer.path("keys.db");
    let db = store.display().to_string();
    for (name, said) in
        [("with.json", format!("my key is\\n{}", key())), ("without.json", "hello".to_owned())]
    {
        let file = computer.path(name);
        fs::write(
            &file,
            format!(r#"[{{"role":"user","content":"{said}"}},{{"role":"assistant","content":"ok"}}]"#),
        )
        .unwrap();
        assert_eq!(computer.run(&format!("import {} --db {db}", file.display())).code, 0);
    }
    let told = computer.run(&format!("secrets --db {db} --json")).document();
    assert_eq!((&told["values"], &told["masked"], &told["masks"]), (&1.into(), &false.into(), &false.into()));
    assert_eq!(told["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(told["sessions"][0]["kinds"][0]["name"], "Anthropic key");
    let holds_key = || {
        let bytes = fs::read(&store).unwrap();
        bytes.windows(20).any(|window| window == &key().as_bytes()[13..33])
    };

    let masked = computer.run(&format!("secrets --mask --db {db}")).seen();
    assert!(masked.contains("Masked in 1 session of") && masked.contains("Anthropic key (1)"), "{masked}");
    assert!(!holds_key());
    let after = computer.run(&format!("secrets --db {db} --json")).document();
    assert_eq!((&after["values"], &after["masks"]), (&0.into(), &true.into()));

    // What is stored from now on is masked, until somebody ends that.
    let again = computer.path("again.json");
    fs::write(
        &again,
        format!(r#"[{{"role":"user","content":"and {}"}},{{"role":"assistant","content":"ok"}}]"#, key()),
    )
    .unwrap();
    computer.run(&format!("import {} --db {db}", again.display()));
    assert_eq!(computer.run(&format!("secrets --db {db} --json")).document()["values"], 0);
    assert_eq!(computer.run(&format!("secrets --keep --db {db} --json")).document()["masks"], false);
}
