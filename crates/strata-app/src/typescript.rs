//! The TypeScript side of the command list.

use std::any::TypeId;
use std::collections::HashSet;

use ts_rs::{Config, TS, TypeVisitor};

use crate::api::cache::LadderFlag;
use crate::api::call::ColumnFlag;
use crate::api::common::Kind;
use crate::api::job::Notification;
use crate::command::{Answer as _, Command, CommandVisitor, for_each_command};
use crate::error::AppError;

/// The text of `ui/src/api/gen/api.ts`: every shape, and the parameters and result of every command.
pub fn typescript() -> String {
    let config = Config::new().with_large_int("number");
    let mut types = Types { config: &config, seen: HashSet::new(), declarations: Vec::new() };
    let mut list = List { config: &config, types: &mut types, entries: String::new() };
    for_each_command(&mut list);
    let entries = list.entries;
    types.visit::<Notification>();
    types.visit::<AppError>();
    types.declarations.sort();
    let declarations = types.declarations.join("\n\n");
    let kinds = serde_json::to_string(&Kind::ALL).unwrap_or_default();
    let flag = |(name, flag): &(&str, ColumnFlag)| format!("  {name}: {},\n", *flag as u16);
    let flags = ColumnFlag::ALL.iter().map(flag).collect::<Vec<_>>().concat();
    let ladder_flag = |(name, flag): &(&str, LadderFlag)| format!("  {name}: {},\n", *flag as u16);
    let ladder_flags = LadderFlag::ALL.iter().map(ladder_flag).collect::<Vec<_>>().concat();
    let text = format!(
        "// Made by `cargo xtask gen` from crates/strata-app. Do not edit.\n\n{declarations}\n\n\
         /** The kinds in the order of the legend and of `call/columns`. */\n\
         export const KINDS: readonly Kind[] = {kinds};\n\n\
         /** Bits of a column's flags. */\nexport const COLUMN_FLAGS = {{\n{flags}}} as const;\n\n\
         /** Bits of a row's flags in `cache/ladder`. */\nexport const LADDER_FLAGS = {{\n{ladder_flags}}} as const;\n\n\
         /** Parameters and result of every command. */\nexport interface Commands {{\n{entries}}}\n",
    );
    // Types without a comment leave white space where it would be.
    text.lines().flat_map(|line| [line.trim_end(), "\n"]).collect()
}

struct List<'a, 'c> {
    config: &'c Config,
    types: &'a mut Types<'c>,
    entries: String,
}

impl CommandVisitor for List<'_, '_> {
    fn command<C: Command>(&mut self) {
        C::visit_dependencies(self.types);
        C::Output::visit_types(self.types);
        let params = C::inline(self.config).replace(['\n', '\t'], " ");
        let params = if params.trim() == "{ }" || params.trim() == "Record<symbol, never>" {
            "Record<string, never>".to_owned()
        } else {
            params
        };
        let result = C::Output::type_name(self.config);
        self.entries += &format!(
            "  /** {}. */\n  \"{}\": {{ readonly params: {params}; readonly result: {result} }};\n",
            C::SUMMARY,
            C::NAME
        );
    }
}

struct Types<'c> {
    config: &'c Config,
    seen: HashSet<TypeId>,
    declarations: Vec<String>,
}

impl TypeVisitor for Types<'_> {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        // Primitives have no file of their own and need no declaration.
        if T::output_path().is_none() || !self.seen.insert(TypeId::of::<T>()) {
            T::visit_generics(self);
            return;
        }
        let docs = T::docs().unwrap_or_default();
        self.declarations.push(format!("{docs}export {}", T::decl(self.config)));
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}
