//! The modules of the page as one script, and its style sheets as one: a telephone asks once, not fifteen
//! times.
//!
//! The modules stay what they are, and the desk loads them one by one. Here each becomes a function that gives
//! what it exports, in an order in which it comes after those that it imports. That takes one form of import
//! (`import { a, b } from "./file.js";`) and one of export (`export` before a class, function or constant).

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Where a file is looked up.
type Files<'a> = &'a dyn Fn(&str) -> Option<Cow<'static, [u8]>>;

/// What keeps a module from going into a bundle.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BundleError {
    /// No such file.
    #[error("there is no {0}")]
    Missing(String),
    /// A line of another form.
    #[error("{0}: cannot be bundled: {1}")]
    Form(String, String),
}

/// The module `first` with all that it imports, as one script.
pub(super) fn script(first: &str, files: Files<'_>) -> Result<String, BundleError> {
    let (mut text, mut known) = (String::new(), BTreeSet::new());
    add(first, files, &mut text, &mut known)?;
    Ok(text)
}

/// The style sheets `names`, one after the other.
pub(super) fn style(names: &[&str], files: Files<'_>) -> Result<String, BundleError> {
    names.iter().map(|name| Ok(without_comments(&read(name, files)?))).collect()
}

fn read(name: &str, files: Files<'_>) -> Result<String, BundleError> {
    let bytes = files(name).ok_or_else(|| BundleError::Missing(name.to_owned()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn add(
    name: &str,
    files: Files<'_>,
    text: &mut String,
    known: &mut BTreeSet<String>,
) -> Result<(), BundleError> {
    if !known.insert(name.to_owned()) {
        return Ok(());
    }
    let source = without_comments(&read(name, files)?);
    let (mut body, mut exports) = (String::new(), Vec::new());
    for line in source.lines() {
        let wrong = || BundleError::Form(name.to_owned(), line.to_owned());
        if let Some(import) = line.strip_prefix("import ") {
            let parts = import.strip_suffix("\";").and_then(|import| import.split_once(" from \"./"));
            let (names, other) = parts.filter(|(names, _)| names.starts_with('{')).ok_or_else(wrong)?;
            add(other, files, text, known)?;
            writeln!(body, "const {} = {};", names.replace(" as ", ": "), variable(other)).ok();
        } else if let Some(exported) = line.strip_prefix("export ") {
            exports.push(declared(exported).ok_or_else(wrong)?.to_owned());
            body.push_str(exported);
            body.push('\n');
        } else {
            body.push_str(line);
            body.push('\n');
        }
    }
    let exports = exports.join(", ");
    writeln!(text, "const {} = (() => {{\n{body}return {{ {exports} }};\n}})();", variable(name)).ok();
    Ok(())
}

/// What a declaration gives a name to.
fn declared(line: &str) -> Option<&str> {
    let line = line.strip_prefix("async ").unwrap_or(line);
    let kinds = ["class ", "function ", "const "];
    let name = kinds.iter().find_map(|kind| line.strip_prefix(kind))?;
    let end = name.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')?;
    (end > 0).then(|| &name[..end])
}

fn variable(file: &str) -> String {
    format!("_{}", file.trim_end_matches(".js").replace(|letter: char| !letter.is_ascii_alphanumeric(), "_"))
}

/// Without lines that are comments alone, and without what stands before a line: nobody reads it there.
fn without_comments(source: &str) -> String {
    let mut is_comment = false;
    let mut text = String::with_capacity(source.len());
    for line in source.lines().map(str::trim).filter(|line| !line.is_empty()) {
        is_comment |= line.starts_with("/*");
        if !is_comment && !line.starts_with("//") {
            text.push_str(line);
            text.push('\n');
        }
        is_comment &= !line.ends_with("*/");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(name: &str) -> Option<Cow<'static, [u8]>> {
        let text = match name {
            "a.js" => {
                "// The first.\nimport { one as two } from \"./b.js\";\nimport { three } from \"./c.js\";\nuse(two, three);\n"
            }
            "b.js" => "import { three } from \"./c.js\";\n/**\n * Doc.\n */\nexport const one = three;\n",
            "c.js" => "export async function three() {\n  // Nothing.\n}\nexport class Four {}\n",
            "bad.js" => "export default 1;\n",
            "worse.js" => "import * as all from \"./c.js\";\n",
            _ => return None,
        };
        Some(Cow::Borrowed(text.as_bytes()))
    }

    #[test]
    fn a_module_comes_once_and_after_those_that_it_imports() {
        assert_eq!(
            script("a.js", &files).unwrap(),
            "const _c = (() => {\nasync function three() {\n}\nclass Four {}\nreturn { three, Four };\n})();\n\
             const _b = (() => {\nconst { three } = _c;\nconst one = three;\nreturn { one };\n})();\n\
             const _a = (() => {\nconst { one: two } = _b;\nconst { three } = _c;\nuse(two, three);\nreturn {  };\n})();\n"
        );
    }

    #[test]
    fn what_has_another_form_is_refused() {
        for (name, line) in
            [("bad.js", "export default 1;"), ("worse.js", "import * as all from \"./c.js\";")]
        {
            let wrong = BundleError::Form(name.to_owned(), line.to_owned());
            assert_eq!(script(name, &files).unwrap_err(), wrong);
        }
        assert_eq!(script("none.js", &files).unwrap_err(), BundleError::Missing("none.js".to_owned()));
    }
}
