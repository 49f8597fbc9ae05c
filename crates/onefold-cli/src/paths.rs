//! Files that must not be written over one another.

use crate::failure::Failure;
use std::path::Path;

/// Whether two paths name the same file, which need not exist.
pub(crate) fn is_same(a: Option<&Path>, b: Option<&Path>) -> bool {
    let absolute = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_os_string();
        let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        std::fs::canonicalize(path)
            .or_else(|_| std::fs::canonicalize(folder).map(|f| f.join(name)))
            .unwrap_or_else(|_| path.into())
    };
    matches!((a, b), (Some(a), Some(b)) if absolute(a) == absolute(b))
}

/// Refuses an output file that would replace a file that is read.
pub(crate) fn check_output(output: &Path, inputs: &[(&str, Option<&Path>)]) -> Result<(), Failure> {
    for (what, input) in inputs {
        if is_same(Some(output), *input) {
            let shown = output.display();
            return Err(Failure::bad_input(format!("--output {shown}: this is {what}; name another file")));
        }
    }
    onefold::files::check_writable(output).map_err(|e| Failure::bad_input(format!("--output {e}")))
}
