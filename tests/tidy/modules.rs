//! The modules of a crate, and which of them names what of which: read from paths (`crate::…`, `super::…`, imports).
//!
//! A path counts for the module in which the thing was defined, through whatever re-exports it is named. Tests are left
//! out: they may look at everything.

use std::collections::{BTreeMap, BTreeSet};

use syn::visit::{self, Visit};
use syn::{Attribute, Item, ItemMod, ItemUse, UseTree, Visibility};

use crate::tree::SourceFile;

/// A module by the names that lead to it from the root of its crate; the root has none.
pub(crate) type ModulePath = Vec<String>;

/// Every module of a crate that ships; each is a file.
pub(crate) struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Default)]
struct Module {
    children: BTreeSet<String>,
    /// What is defined in it.
    items: BTreeSet<String>,
    /// What an import gives a name here, as it is written.
    imports: BTreeMap<String, Vec<String>>,
    /// Paths of which everything is imported.
    globs: Vec<Vec<String>>,
    /// Every path that it uses, as it is written.
    paths: Vec<Vec<String>>,
    /// Paths that it hands on to others.
    handed_on: Vec<Vec<String>>,
}

/// A module names what another one defines.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Reference {
    pub from: ModulePath,
    pub to: ModulePath,
    /// What is named.
    pub name: String,
}

impl Modules {
    /// Of the crate whose sources lie below `folder`, which ends with `src/`.
    pub(crate) fn of(files: &[SourceFile], folder: &str) -> Self {
        let root = ["lib.rs", "main.rs"].map(|name| format!("{folder}{name}"));
        let mut modules = Self(BTreeMap::new());
        let root = root.iter().find(|path| files.iter().any(|file| file.path == **path));
        if let Some(path) = root {
            modules.read(files, path, folder, Vec::new());
        }
        modules
    }

    /// Reads the module in a file, and those it declares, which lie in `folder`.
    fn read(&mut self, files: &[SourceFile], path: &str, folder: &str, at: ModulePath) {
        let Some(file) = files.iter().find(|file| file.path == path) else { return };
        let parsed = syn::parse_file(&file.text).unwrap_or_else(|error| panic!("{path}: {error}"));
        let mut module = Module::default();
        module.visit_file(&parsed);
        for child in module.children.clone() {
            let below = [at.clone(), vec![child.clone()]].concat();
            self.read(files, &format!("{folder}{child}.rs"), &format!("{folder}{child}/"), below);
        }
        self.0.insert(at, module);
    }

    /// Modules that have modules of their own.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &ModulePath> {
        self.0.iter().filter(|(_, module)| !module.children.is_empty()).map(|(path, _)| path)
    }

    pub(crate) fn references(&self) -> BTreeSet<Reference> {
        let mut found = BTreeSet::new();
        for (from, module) in &self.0 {
            let mut add = |path: &[String], is_handed_on: bool| {
                let Some((to, name)) = self.resolve(from, path, &mut Vec::new()) else { return };
                // A face hands on what lies below it, and does not use it.
                let is_face = is_handed_on && to.starts_with(from);
                if to != *from && !is_face {
                    found.insert(Reference { from: from.clone(), to, name });
                }
            };
            module.paths.iter().for_each(|path| add(path, false));
            module.handed_on.iter().for_each(|path| add(path, true));
        }
        found
    }

    /// The module that defines what a path names, as seen from the module `at`. `None` for paths out of the crate.
    fn resolve(
        &self,
        at: &ModulePath,
        path: &[String],
        seen: &mut Vec<(ModulePath, String)>,
    ) -> Option<(ModulePath, String)> {
        let (first, rest) = path.split_first()?;
        let module = self.0.get(at)?;
        match first.as_str() {
            "crate" => self.resolve_in(Vec::new(), rest, seen),
            "self" => self.resolve_in(at.clone(), rest, seen),
            "super" => self.resolve(&at[..at.len().checked_sub(1)?].to_vec(), &named(rest), seen),
            name if module.children.contains(name) => self.resolve_in(at.clone(), path, seen),
            name => {
                let import = module.imports.get(name)?;
                let whole = [import, rest].concat();
                let step = (at.clone(), name.to_owned());
                // `use regex::regex` names itself.
                if import[0] == *name || seen.contains(&step) {
                    return None;
                }
                seen.push(step);
                self.resolve(at, &whole, seen)
            }
        }
    }

    /// As [`Self::resolve`], for a path that begins in a module.
    fn resolve_in(
        &self,
        mut at: ModulePath,
        path: &[String],
        seen: &mut Vec<(ModulePath, String)>,
    ) -> Option<(ModulePath, String)> {
        for (nth, name) in path.iter().enumerate() {
            let module = self.0.get(&at)?;
            if module.children.contains(name) {
                at.push(name.clone());
            } else if name == "self" || module.items.contains(name) {
                return Some((at, name.clone()));
            } else if let Some(import) = module.imports.get(name) {
                let step = (at.clone(), name.clone());
                if seen.contains(&step) {
                    return None;
                }
                seen.push(step);
                return self.resolve(&at, &[import, &path[nth + 1..]].concat(), seen);
            } else {
                let through = |glob: &Vec<String>| {
                    let whole = [glob, &path[nth..]].concat();
                    self.resolve(&at, &whole, &mut seen.clone()).filter(|(to, _)| *to != at)
                };
                return module.globs.iter().find_map(through).or_else(|| Some((at.clone(), name.clone())));
            }
        }
        self.0.contains_key(&at).then(|| (at, "itself".to_owned()))
    }
}

/// A path that begins in the module where it stands.
fn named(path: &[String]) -> Vec<String> {
    match path.first().map(String::as_str) {
        Some("super") => path.to_vec(),
        _ => [&["self".to_owned()], path].concat(),
    }
}

impl<'a> Visit<'a> for Module {
    fn visit_item(&mut self, item: &'a Item) {
        if is_for_tests(attributes(item)) {
            return;
        }
        self.items.extend(name(item));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'a ItemMod) {
        if item.content.is_none() {
            self.children.insert(item.ident.to_string());
        }
        visit::visit_item_mod(self, item);
    }

    fn visit_item_use(&mut self, item: &'a ItemUse) {
        let is_handed_on = !matches!(item.vis, Visibility::Inherited);
        self.import(&item.tree, &mut Vec::new(), is_handed_on);
    }

    fn visit_impl_item(&mut self, item: &'a syn::ImplItem) {
        let is_test = matches!(item, syn::ImplItem::Fn(function) if is_for_tests(&function.attrs));
        if !is_test {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'a syn::Path) {
        let names: Vec<String> = path.segments.iter().map(|segment| segment.ident.to_string()).collect();
        if path.leading_colon.is_none() && names.len() > 1 {
            self.paths.push(names);
        }
        visit::visit_path(self, path);
    }

    /// What a macro is given is no syntax yet: its paths are read from its text.
    fn visit_macro(&mut self, called: &'a syn::Macro) {
        let text = called.tokens.to_string().replace(" :: ", "::");
        let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_' && letter != ':');
        let paths = words.map(|word| word.split("::").map(str::to_owned).collect::<Vec<_>>());
        self.paths.extend(paths.filter(|path| path.len() > 1 && path.iter().all(|name| is_name(name))));
        self.visit_path(&called.path);
    }

    fn visit_attribute(&mut self, _: &'a Attribute) {}

    fn visit_visibility(&mut self, _: &'a Visibility) {}
}

impl Module {
    fn import(&mut self, tree: &UseTree, before: &mut Vec<String>, is_handed_on: bool) {
        let mut add = |path: Vec<String>, name: String| {
            let paths = if is_handed_on { &mut self.handed_on } else { &mut self.paths };
            paths.push(path.clone());
            self.imports.insert(name, path);
        };
        let with = |name: &syn::Ident| [&before[..], &[name.to_string()]].concat();
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, is_handed_on);
                before.pop();
            }
            UseTree::Name(last) if last.ident == "self" => {
                add(before.clone(), before.last().cloned().unwrap_or_default());
            }
            UseTree::Name(last) => add(with(&last.ident), last.ident.to_string()),
            UseTree::Rename(last) => add(with(&last.ident), last.rename.to_string()),
            UseTree::Glob(_) => self.globs.push(before.clone()),
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, before, is_handed_on));
            }
        }
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// Whether something is compiled for tests only.
fn is_for_tests(attributes: &[Attribute]) -> bool {
    let is_test = |attribute: &Attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    };
    attributes.iter().any(is_test)
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

fn name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}
