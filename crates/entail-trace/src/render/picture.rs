//! A proof as a picture: SVG, the answer on top, what it rests on below.

use std::fmt::Write as _;

use super::answer::{Answer, NodeKind};
use super::text::{clipped, escape};

const WIDTH: usize = 960;
const BOX_WIDTH: usize = 220;
const BOX_HEIGHT: usize = 92;
const GAP: usize = 20;
const ROW_GAP: usize = 46;
const COLUMNS: usize = WIDTH / (BOX_WIDTH + GAP);
/// What fits in a line of a box.
const LINE_CHARACTERS: usize = 30;
const LINES: usize = 3;

struct Place {
    x: usize,
    y: usize,
}

/// Draws what an answer rests on; nothing if that is nothing.
pub(super) fn draw(answer: &Answer, out: &mut String) {
    if answer.nodes().is_empty() {
        return;
    }
    let rows = rows(answer);
    let mut places: Vec<Place> = answer
        .nodes()
        .iter()
        .map(|_| Place { x: 0, y: 0 })
        .collect();
    for (row, numbers) in rows.iter().enumerate() {
        let taken = numbers.len() * (BOX_WIDTH + GAP) - GAP;
        let left = WIDTH.saturating_sub(taken) / 2;
        for (column, number) in numbers.iter().enumerate() {
            if let Some(place) = places.get_mut(*number) {
                *place = Place {
                    x: left + column * (BOX_WIDTH + GAP),
                    y: row * (BOX_HEIGHT + ROW_GAP) + GAP,
                };
            }
        }
    }
    let height = (rows.len() * (BOX_HEIGHT + ROW_GAP) + 2 * GAP).saturating_sub(ROW_GAP);
    let _ = writeln!(
        out,
        "<svg class=\"proof\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
         aria-label=\"What the answer rests on\" xmlns=\"http://www.w3.org/2000/svg\">"
    );
    for (from, to) in answer.edges() {
        if let (Some(from), Some(to)) = (places.get(*from), places.get(*to)) {
            let _ = writeln!(
                out,
                "<path class=\"edge\" d=\"M{} {} C{} {} {} {} {} {}\"/>",
                from.x + BOX_WIDTH / 2,
                from.y + BOX_HEIGHT,
                from.x + BOX_WIDTH / 2,
                from.y + BOX_HEIGHT + ROW_GAP / 2,
                to.x + BOX_WIDTH / 2,
                to.y.saturating_sub(ROW_GAP / 2),
                to.x + BOX_WIDTH / 2,
                to.y
            );
        }
    }
    for (node, place) in answer.nodes().iter().zip(&places) {
        let class = match node.kind {
            NodeKind::Claim => "claim",
            NodeKind::Rejected | NodeKind::Missing => "rejected",
            NodeKind::Evidence => "evidence",
            NodeKind::ToolCall => "call",
        };
        let _ = write!(out, "<g class=\"{class}\"><title>");
        escape(&format!("{} {}", node.kind.as_str(), node.id), out);
        // A picture within the picture: what is too wide ends at the box.
        let _ = write!(
            out,
            "</title><svg x=\"{}\" y=\"{}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\">\
             <rect x=\"1\" y=\"1\" width=\"{}\" height=\"{}\" rx=\"6\"/>",
            place.x,
            place.y,
            BOX_WIDTH - 2,
            BOX_HEIGHT - 2
        );
        let mut y = 18;
        text_line("kind", y, node.kind.as_str(), out);
        for line in wrapped(&node.text) {
            y += 17;
            text_line("body", y, &line, out);
        }
        let note = clip(&clipped(&node.note), LINE_CHARACTERS + 4);
        text_line("note", BOX_HEIGHT - 8, &note, out);
        out.push_str("</svg></g>\n");
    }
    out.push_str("</svg>\n");
}

/// The nodes in rows: each below everything that rests on it, and no row wider than the page.
fn rows(answer: &Answer) -> Vec<Vec<usize>> {
    let count = answer.nodes().len();
    let mut depth = vec![0_usize; count];
    // A longest way has fewer steps than there are nodes; edges in a cycle stop there.
    for _ in 0..count {
        let mut moved = false;
        for (from, to) in answer.edges() {
            let below = depth.get(*from).map_or(0, |depth| depth + 1);
            if let Some(depth) = depth
                .get_mut(*to)
                .filter(|depth| **depth < below && below < count)
            {
                *depth = below;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let deepest = depth.iter().copied().max().unwrap_or(0);
    let of_depth = |at: usize| {
        let numbers = depth
            .iter()
            .enumerate()
            .filter(move |(_, depth)| **depth == at);
        numbers.map(|(number, _)| number).collect::<Vec<_>>()
    };
    let rows = (0..=deepest).map(of_depth);
    rows.flat_map(|row| {
        row.chunks(COLUMNS)
            .map(<[usize]>::to_vec)
            .collect::<Vec<_>>()
    })
    .collect()
}

fn text_line(class: &str, y: usize, text: &str, out: &mut String) {
    let _ = write!(out, "<text class=\"{class}\" x=\"10\" y=\"{y}\">");
    escape(text, out);
    out.push_str("</text>");
}

/// Text in as many lines as a box has; the last one shows that there is more.
fn wrapped(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        let length = line.chars().count() + word.chars().count() + 1;
        if !line.is_empty() && length > LINE_CHARACTERS {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    if lines.len() > LINES {
        lines.truncate(LINES);
        if let Some(last) = lines.last_mut() {
            last.push_str(" …");
        }
    }
    lines
        .iter()
        .map(|line| clip(line, LINE_CHARACTERS + 2))
        .collect()
}

fn clip(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars()
        .take(most.saturating_sub(1))
        .chain(['…'])
        .collect()
}
