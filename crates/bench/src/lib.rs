//! What measures adoube, alone and beside other programs, in `benches/`. What they need is compiled for nobody else.
