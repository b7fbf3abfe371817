//! Trees as text.

/// Draws a tree. `open` turns a node, with its level, into its line and its children; it is called from top to bottom.
pub fn draw<T>(root: T, mut open: impl FnMut(T, usize) -> (String, Vec<T>)) -> String {
    let mut out = String::new();
    // The nodes still to draw, the next one last: the lines to its left, whether it is the last child, node, level.
    let mut stack = vec![(String::new(), None::<bool>, root, 0)];
    while let Some((left, last, node, level)) = stack.pop() {
        let (branch, gap) = match last {
            None => ("", ""),
            Some(true) => ("└─ ", "   "),
            Some(false) => ("├─ ", "│  "),
        };
        let (line, children) = open(node, level);
        out += &format!("{left}{branch}{line}\n");
        let below = left + gap;
        let count = children.len();
        for (at, child) in children.into_iter().enumerate().rev() {
            stack.push((below.clone(), Some(at + 1 == count), child, level + 1));
        }
    }
    out
}
