//! Pairings from the outside: real files, the API, the command, the page.

mod api;
mod command;
mod files;
mod page;

/// A round, as a table.
const ROUND: &str = "\
round,board,white,white_title,white_elo,white_fide_id,white_federation,black
9,41,\"Player, One\",GM,2500,1200,GRE,\"Player, Two\"
9,42,\"Player, Three\",,,,,\"Player, Four\"
9,43,\"Player, Five\",,,,,\"Player, Six\"
9,44,\"Player, Seven\",,,,,bye
";
