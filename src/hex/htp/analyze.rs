//! Commands that explain the position, for HexGui's analyze menu.

use super::{Answer, Command, Session};

pub const COMMANDS: &[Command] = &[Command { name: "hexgui-analyze_commands", usage: "", run: analyze_commands }];

/// One a line: how HexGui shows the answer, what the menu says, and the command; `%c` is a color, `%m` the color to
/// move, `%P` a list of points.
const MENU: &[&str] = &["string/Final Score/final_score", "string/Show Board/showboard"];

fn analyze_commands(_: &mut Session, args: &[&str]) -> Option<Answer> {
    args.is_empty().then(|| Ok(MENU.join("\n")))
}
