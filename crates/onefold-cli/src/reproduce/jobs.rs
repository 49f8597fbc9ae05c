//! Scripts that run the shards of a campaign as an array of jobs on a batch system.

use crate::args::{BatchSystem, ReproduceArgs};
use std::fmt::Write as _;
use std::path::Path;

/// How a batch system is told what to do.
struct Dialect {
    /// Lines of options, in which `{name}`, `{shards}` and `{cores}` are replaced.
    head: &'static str,
    /// The variable with the number of a job in its array.
    index: &'static str,
    submit: &'static str,
}

impl BatchSystem {
    fn dialect(self) -> Dialect {
        match self {
            // The signal gives trials time to save a checkpoint before the limit.
            Self::Slurm => Dialect {
                head: "#SBATCH --job-name=onefold-{name}\n#SBATCH --array=1-{shards}\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task={cores}\n#SBATCH --mem-per-cpu=1G\n#SBATCH --time=24:00:00\n#SBATCH --signal=INT@60\n#SBATCH --requeue\n#SBATCH --output=onefold-{name}-%a.log\n",
                index: "SLURM_ARRAY_TASK_ID",
                submit: "sbatch",
            },
            Self::Sge => Dialect {
                head: "#$ -N onefold-{name}\n#$ -t 1-{shards}\n#$ -pe smp {cores}\n#$ -l h_rt=24:00:00\n#$ -cwd\n#$ -V\n#$ -j y\n#$ -r y\n#$ -o onefold-{name}-$TASK_ID.log\n",
                index: "SGE_TASK_ID",
                submit: "qsub",
            },
            Self::Pbs => Dialect {
                head: "#PBS -N onefold-{name}\n#PBS -J 1-{shards}\n#PBS -l select=1:ncpus={cores}:mem={cores}gb\n#PBS -l walltime=24:00:00\n#PBS -V\n#PBS -j oe\n#PBS -r y\n",
                index: "PBS_ARRAY_INDEX",
                submit: "qsub",
            },
        }
    }
}

/// The script for an array of jobs, one for each shard; all share one store.
pub(super) fn script(system: BatchSystem, args: &ReproduceArgs, name: &str, folder: &Path) -> String {
    let Dialect { head, index, submit } = system.dialect();
    let cores = args.threads.max(1);
    let fill = |text: &str| {
        let filled = text.replace("{name}", name).replace("{cores}", &cores.to_string());
        filled.replace("{shards}", &args.shards.to_string())
    };
    let mut command = vec!["onefold".into(), "reproduce".into()];
    let mut flag = |name: &str, value: Option<String>| {
        command.extend(value.map(|value| format!("--{name} {}", quoted(&value))));
    };
    flag("campaign", args.campaign.as_deref().map(absolute));
    flag("cells", args.only.cells.clone());
    flag("table", args.only.table.clone());
    flag("runs", args.runs.map(|runs| runs.to_string()));
    flag("store", Some(absolute(folder)));
    flag("threads", Some(cores.to_string()));
    if args.quick {
        command.push("--quick".into());
    }
    command.push(format!("--shard \"${index}/{}\"", args.shards));
    let mut script = String::from("#!/bin/bash\n");
    let _ = write!(script, "{}", fill(head));
    let _ = write!(
        script,
        "\n# Submit with: {submit} FILE. Submit it again to go on after a failure: finished trials are not repeated,\n# and long ones continue from their checkpoints. Then: onefold report {}\n",
        quoted(&absolute(folder))
    );
    if system == BatchSystem::Pbs {
        script += "cd \"$PBS_O_WORKDIR\" || exit 1\n";
    }
    let _ = writeln!(script, "exec {} > /dev/null", command.join(" "));
    script
}

/// A path that is valid in every folder.
fn absolute(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.into()).display().to_string()
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./,:=+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.into();
    }
    format!("'{}'", word.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole() {
        for (word, expected) in
            [("a/b-1.toml", "a/b-1.toml"), ("sinc/*", "'sinc/*'"), ("it's $x", "'it'\\''s $x'"), ("", "''")]
        {
            assert_eq!(quoted(word), expected);
        }
    }
}
