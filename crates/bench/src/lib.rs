//! adoube measured beside other programs, in `benches/`. What they need is compiled for nobody else.
