//! The `adoube` command.

fn main() -> std::process::ExitCode {
    #[cfg(feature = "daemon")]
    return adoube::cli::main();
    #[cfg(not(feature = "daemon"))]
    {
        eprintln!("adoube: this build is the core alone; build with the feature \"daemon\" for the commands");
        std::process::ExitCode::from(2)
    }
}
