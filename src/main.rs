//! The `adoube` command.

fn main() -> std::process::ExitCode {
    adoube::cli::main()
}
