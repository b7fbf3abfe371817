//! Hex: board, positions, the formulations of its win.
