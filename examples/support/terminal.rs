//! What the examples show in a terminal: errors with their causes, and a progress bar.

#![allow(dead_code, reason = "every example uses a part of it")]

use std::error::Error;
use std::ffi::OsString;
use std::fmt::Write;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(crate) type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// Runs the example; its error, and what caused it, goes to standard error, and the exit code is
/// then 1.
pub(crate) fn main(run: impl FnOnce() -> Result<()>) -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        // What reads the output, such as `head`, has read enough.
        Err(error) if is_broken_pipe(error.as_ref()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", with_causes(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

fn is_broken_pipe(error: &(dyn Error + 'static)) -> bool {
    let error = error.downcast_ref::<std::io::Error>();
    error.is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The `arguments` as text, without the first, which names the program.
pub(crate) fn texts(arguments: impl Iterator<Item = OsString>) -> Result<Vec<String>> {
    let text = |argument: OsString| {
        argument.into_string().map_err(|argument| {
            let argument = argument.display();
            format!("the argument {argument} is not UTF-8: rename it, or say . inside of it").into()
        })
    };
    arguments.skip(1).map(text).collect()
}

/// An error if `output`, which the program writes to, is a URL: it would become a folder of that
/// name.
pub(crate) fn no_url(output: &str) -> Result<()> {
    let Some((scheme, rest)) = output.split_once(':') else {
        return Ok(());
    };
    if scheme.eq_ignore_ascii_case("file") {
        let path = rest.strip_prefix("//").unwrap_or(rest);
        return Err(format!("{output} is a URL: write the path alone, as in {path}").into());
    }
    // One slash too few is no reason to make a folder `s3:`. One letter is a disk of Windows.
    let is_scheme = scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if output.contains("://") || is_scheme && rest.starts_with('/') {
        return Err(format!(
            "{output} is a URL: this program writes to this machine only; name a file or folder, \
             and copy it there afterwards, for example by `aws s3 sync` or `rclone`"
        )
        .into());
    }
    Ok(())
}

/// The value that follows the option `name`, which needs `what`; an error if there is none, or
/// another option in its place.
pub(crate) fn value<'v>(name: &str, what: &str, argument: Option<&'v str>) -> Result<&'v str> {
    match argument {
        None => Err(format!("{name} needs {what}").into()),
        Some(option) if is_option(option) => {
            Err(format!("{name} needs {what}, found the option {option}").into())
        }
        Some(value) => Ok(value),
    }
}

/// Whether an argument is an option, as `--json` or `-o`, and no number below 0.
fn is_option(argument: &str) -> bool {
    let name = argument.strip_prefix('-').unwrap_or_default();
    name.starts_with('-') || name.len() == 1 && name.starts_with(|c: char| c.is_ascii_alphabetic())
}

/// The status that follows an option `--missing`.
pub(crate) fn status(argument: Option<&str>) -> Result<u16> {
    let what = "the status of an answer, for example 403";
    let status = value("--missing", what, argument)?.parse().ok();
    let status = status.filter(|status| (400..600).contains(status));
    status.ok_or_else(|| format!("--missing needs {what}").into())
}

/// What `--help` prints: the documentation at the beginning of the `source` of a program.
pub(crate) fn help(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix("//!"));
    let lines = lines.map(|line| line.strip_prefix(' ').unwrap_or(line));
    let shown = lines.filter(|line| !line.starts_with("```"));
    shown.fold(String::new(), |help, line| help + line + "\n")
}

/// The text of an error and, below it, of what caused it where it does not say so itself.
fn with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            let _ = write!(text, "\n  because: {cause_text}");
        }
        source = cause.source();
    }
    text
}

/// A bar that shows once the work has taken a second.
pub(crate) struct Progress {
    bar: ProgressBar,
    start: Instant,
}

impl Progress {
    /// `things` is what the bar counts, such as `blocks`.
    pub(crate) fn new(total: u64, things: &str) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template = format!("{{wide_bar}} {{pos}}/{{len}} {things}, {{eta}} left");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Self {
            bar,
            start: Instant::now(),
        }
    }

    pub(crate) fn advance(&self) {
        self.show();
        self.bar.inc(1);
    }

    /// Shows the bar if it is time to.
    fn show(&self) {
        if self.bar.is_hidden() && self.start.elapsed() > Duration::from_secs(1) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }

    /// For work that finds out on the way how much it is.
    pub(crate) fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A bar that counts bytes, and shows the rate and the time left.
pub(crate) struct Bytes(Progress);

impl Bytes {
    pub(crate) fn new() -> Self {
        let progress = Progress::new(0, "");
        let template = "{wide_bar} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            progress.bar.set_style(style);
        }
        Self(progress)
    }

    pub(crate) fn set(&self, done: u64, total: u64) {
        self.0.bar.set_length(total);
        self.0.show();
        self.0.bar.set_position(done);
    }

    pub(crate) fn finish(&self) {
        self.0.finish();
    }
}

/// A number of bytes, as in `1.5 GB`.
#[allow(clippy::cast_precision_loss, reason = "it is shown with two digits")]
pub(crate) fn size(bytes: u64) -> String {
    let (mut size, mut unit) = (bytes as f64, "bytes");
    for larger in ["kB", "MB", "GB", "TB", "PB"] {
        if size < 1000. {
            break;
        }
        (size, unit) = (size / 1000., larger);
    }
    if unit == "bytes" {
        format!("{bytes} bytes")
    } else {
        format!("{size:.1} {unit}")
    }
}
