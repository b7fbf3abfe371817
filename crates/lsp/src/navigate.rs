//! Ways from place to place.

use crate::asked::{AtPlace, HierarchyPlace, InHierarchy, InText, Named, Referenced};
use crate::place::{Lines, TextRanges};
use crate::server::{Refusal, Server, View};
use lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, DocumentHighlight, DocumentHighlightKind,
    DocumentLink, DocumentSymbol, DocumentSymbolResponse, GotoDefinitionResponse, Location, OneOf, Range, SymbolKind,
    TextDocumentIdentifier, WorkspaceSymbol, WorkspaceSymbolResponse,
};
use ludolog_syntax::ast::{Item, Predicate, Statement};
use ludolog_syntax::diagnostic::{Span, counted};
use ludolog_workspace::Analysis;
use ludolog_workspace::rename;
use ludolog_workspace::symbol::{Occurrence, Symbol};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Symbols of the open folders that are listed at most.
const MAX_SYMBOLS: usize = 1_000;

/// What stands at a place.
pub fn at(server: &mut Server, place: &AtPlace) -> Result<(View, Option<Occurrence>), Refusal> {
    let view = server.view(&place.text_document.uri)?;
    let byte = Lines::new(view.text(), server.encoding).byte(place.position);
    let occurrence = view.analysis.at(view.source, byte).cloned();
    Ok((view, occurrence))
}

/// Where a name is defined; of the path of an include, the file.
pub fn definition(server: &mut Server, params: AtPlace) -> Result<Option<GotoDefinitionResponse>, Refusal> {
    let (view, found) = at(server, &params)?;
    let Some(occurrence) = found else { return Ok(None) };
    if let Some(file) = view.analysis.named_file(server.project.texts(), &occurrence) {
        let top = |uri| GotoDefinitionResponse::Scalar(Location::new(uri, Range::default()));
        return Ok(server.uri(&file).map(top));
    }
    let definitions = view.analysis.definitions(&occurrence.symbol);
    let mut ranges = TextRanges::new(server.encoding);
    let places = definitions.into_iter().filter_map(|one| location(server, &view, one, &mut ranges));
    Ok(Some(GotoDefinitionResponse::Array(places.collect())))
}

fn location<'v>(
    server: &Server,
    view: &'v View,
    occurrence: &Occurrence,
    ranges: &mut TextRanges<'v>,
) -> Option<Location> {
    let uri = server.uri(view.analysis.path(occurrence.span.source)?)?;
    Some(Location::new(uri, ranges.range(&view.analysis.sources, occurrence.span)))
}

/// All places of a name, in all files that are read together.
pub fn references(server: &mut Server, params: Referenced) -> Result<Option<Vec<Location>>, Refusal> {
    let (view, found) = at(server, &AtPlace { text_document: params.text_document, position: params.position })?;
    let Some(occurrence) = found else { return Ok(None) };
    let budget = server.budget();
    let analyses = server.project.analyses_with(&view.path, &budget)?;
    let mut places = rename::references(&analyses, &occurrence.symbol, &view.path);
    if !params.context.include_declaration {
        for one in view.analysis.definitions(&occurrence.symbol) {
            let path = view.analysis.path(one.span.source);
            if let Some(places) = path.and_then(|path| places.get_mut(path)) {
                places.remove(&(one.span.start as usize, one.span.end as usize));
            }
        }
    }
    let mut found = Vec::new();
    for (file, places) in places {
        let (Some(uri), Some(text)) = (server.uri(&file), text_of(&analyses, &file)) else { continue };
        let lines = Lines::new(&text, server.encoding);
        found.extend(places.into_iter().map(|(start, end)| Location::new(uri.clone(), lines.range(start, end))));
    }
    Ok(Some(found))
}

/// The text of a file as one of the analyses has read it.
pub fn text_of(analyses: &[Arc<Analysis>], file: &Path) -> Option<String> {
    analyses.iter().find_map(|analysis| {
        let (source, _) = analysis.source(file)?;
        Some(analysis.sources.get(source)?.text.clone())
    })
}

/// All places of a name in its text.
pub fn highlights(server: &mut Server, params: AtPlace) -> Result<Option<Vec<DocumentHighlight>>, Refusal> {
    let (view, found) = at(server, &params)?;
    let Some(occurrence) = found else { return Ok(None) };
    let here = view.analysis.occurrences_of(&occurrence.symbol).filter(|one| one.span.source == view.source);
    let lines = Lines::new(view.text(), server.encoding);
    let highlight = |one: &Occurrence| DocumentHighlight {
        range: lines.range(one.span.start as usize, one.span.end as usize),
        kind: Some(if one.in_head { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ }),
    };
    Ok(Some(here.map(highlight).collect()))
}

/// The files that includes name.
pub fn links(server: &mut Server, params: InText) -> Result<Option<Vec<DocumentLink>>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let mut links = Vec::new();
    for one in view.analysis.occurrences(view.source).filter(|one| matches!(one.symbol, Symbol::Path(_))) {
        if let Some(file) = view.analysis.named_file(server.project.texts(), one) {
            let target = server.uri(&file);
            let range = lines.range(one.span.start as usize, one.span.end as usize);
            links.push(DocumentLink { range, target, tooltip: None, data: None });
        }
    }
    Ok(Some(links))
}

/// Neighboring statements of one predicate, as one symbol.
pub fn symbols(server: &mut Server, params: InText) -> Result<Option<DocumentSymbolResponse>, Refusal> {
    let view = server.view(&params.text_document.uri)?;
    let lines = Lines::new(view.text(), server.encoding);
    let mut groups: Vec<(Predicate, Vec<&Item>)> = Vec::new();
    for item in view.analysis.statements(view.source) {
        let Statement::Rule(rule) = &item.statement else { continue };
        let predicate = rule.head.signature();
        match groups.last_mut() {
            Some((last, items)) if *last == predicate => items.push(item),
            _ => groups.push((predicate, vec![item])),
        }
    }
    let names: Vec<Span> = view.analysis.occurrences(view.source).map(|one| one.span).collect();
    let symbols = groups.into_iter().map(|(predicate, items)| {
        let start = items.first().map_or(0, |item| item.span.start as usize);
        let end = items.last().map_or(start, |item| item.span.end as usize);
        let facts = items.iter().filter(|item| is_fact(item)).count();
        let counts = [(items.len() - facts, "rule"), (facts, "fact")];
        let counts = counts.into_iter().filter(|(count, _)| *count > 0);
        let detail: Vec<String> = counts.map(|(count, noun)| counted(count, noun)).collect();
        let name = names.get(names.partition_point(|name| (name.start as usize) < start));
        #[allow(deprecated, reason = "the structure asks for the field")]
        DocumentSymbol {
            name: predicate.to_string(),
            detail: Some(detail.join(", ")),
            kind: if facts == items.len() { SymbolKind::CONSTANT } else { SymbolKind::FUNCTION },
            tags: None,
            deprecated: None,
            range: lines.range(start, end),
            selection_range: name
                .map_or(lines.range(start, end), |name| lines.range(name.start as usize, name.end as usize)),
            children: None,
        }
    });
    Ok(Some(DocumentSymbolResponse::Nested(symbols.collect())))
}

fn is_fact(item: &Item) -> bool {
    matches!(&item.statement, Statement::Rule(rule) if rule.body.is_empty())
}

/// The predicates of the open texts and of the rule files of the open folders whose names hold the words.
pub fn workspace_symbols(server: &mut Server, params: Named) -> Result<Option<WorkspaceSymbolResponse>, Refusal> {
    let wanted = params.query.to_lowercase();
    let budget = server.budget();
    let open = server.project.texts().paths().map(Path::to_owned);
    let files: BTreeSet<PathBuf> = open.chain(server.folder_files.iter().cloned()).collect();
    let mut found = BTreeMap::new();
    for file in files {
        if found.len() >= MAX_SYMBOLS {
            break;
        }
        let analysis = Analysis::new(server.project.texts(), &file, &budget)?;
        let Some((source, _)) = analysis.source(&server.project.texts().key(&file)) else { continue };
        let lines = Lines::new(analysis.sources.get(source).map_or("", |source| &source.text), server.encoding);
        for one in analysis.occurrences(source).filter(|one| one.in_head) {
            let name = one.symbol.to_string();
            if matches!(one.symbol, Symbol::Predicate(..)) && name.to_lowercase().contains(&wanted) {
                let range = lines.range(one.span.start as usize, one.span.end as usize);
                found.entry((file.clone(), name)).or_insert(range);
            }
        }
    }
    let symbols = found.into_iter().filter_map(|((file, name), range)| {
        Some(WorkspaceSymbol {
            name,
            kind: SymbolKind::FUNCTION,
            tags: None,
            container_name: file.file_name().map(|name| name.to_string_lossy().into_owned()),
            location: OneOf::Left(Location::new(server.uri(&file)?, range)),
            data: None,
        })
    });
    Ok(Some(WorkspaceSymbolResponse::Nested(symbols.take(MAX_SYMBOLS).collect())))
}

/// The predicate at a place, to ask what it is derived from and what is derived with it.
pub fn prepare_hierarchy(server: &mut Server, params: AtPlace) -> Result<Option<Vec<CallHierarchyItem>>, Refusal> {
    let (view, found) = at(server, &params)?;
    let mut ranges = TextRanges::new(server.encoding);
    let items = found.and_then(|occurrence| hierarchy_item(server, &view, &occurrence.symbol, &mut ranges));
    Ok(items.map(|item| vec![item]))
}

fn hierarchy_item<'v>(
    server: &Server,
    view: &'v View,
    symbol: &Symbol,
    ranges: &mut TextRanges<'v>,
) -> Option<CallHierarchyItem> {
    let Symbol::Predicate(..) = symbol else { return None };
    let definition = view.analysis.definitions(symbol).into_iter().next()?;
    let place = location(server, view, definition, ranges)?;
    Some(CallHierarchyItem {
        name: symbol.to_string(),
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: None,
        uri: place.uri,
        range: place.range,
        selection_range: place.range,
        data: None,
    })
}

/// The predicates whose rules use this one.
pub fn derived_with(
    server: &mut Server,
    params: InHierarchy,
) -> Result<Option<Vec<CallHierarchyIncomingCall>>, Refusal> {
    let (view, found) = at(server, &place_of(params.item))?;
    let Some(Symbol::Predicate(..)) = found.as_ref().map(|one| &one.symbol) else { return Ok(None) };
    let symbol = found.map(|one| one.symbol);
    let links = links_between(&view.analysis).into_iter().filter(|(_, used)| Some(&used.symbol) == symbol.as_ref());
    let groups = grouped(server, &view, links.map(|(head, used)| (&head.symbol, used)));
    Ok(Some(groups.into_iter().map(|(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges }).collect()))
}

/// The predicates that the rules of this one use.
pub fn derived_from(
    server: &mut Server,
    params: InHierarchy,
) -> Result<Option<Vec<CallHierarchyOutgoingCall>>, Refusal> {
    let (view, found) = at(server, &place_of(params.item))?;
    let Some(Symbol::Predicate(..)) = found.as_ref().map(|one| &one.symbol) else { return Ok(None) };
    let symbol = found.map(|one| one.symbol);
    let links = links_between(&view.analysis).into_iter().filter(|(head, _)| Some(&head.symbol) == symbol.as_ref());
    let groups = grouped(server, &view, links.map(|(_, used)| (&used.symbol, used)));
    Ok(Some(groups.into_iter().map(|(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges }).collect()))
}

fn place_of(item: HierarchyPlace) -> AtPlace {
    AtPlace { text_document: TextDocumentIdentifier::new(item.uri), position: item.selection_range.start }
}

/// The predicates of heads with those that their bodies use, statement by statement.
fn links_between(analysis: &Analysis) -> Vec<(&Occurrence, &Occurrence)> {
    let mut links = Vec::new();
    let mut head: Option<&Occurrence> = None;
    for one in analysis.all_occurrences().filter(|one| matches!(one.symbol, Symbol::Predicate(..))) {
        match head {
            _ if one.in_head => head = Some(one),
            Some(head) if (head.span.source, head.statement) == (one.span.source, one.statement) => {
                links.push((head, one));
            }
            _ => {}
        }
    }
    links
}

/// The places of each predicate.
fn grouped<'a>(
    server: &Server,
    view: &View,
    links: impl Iterator<Item = (&'a Symbol, &'a Occurrence)>,
) -> Vec<(CallHierarchyItem, Vec<Range>)> {
    let mut ranges = TextRanges::new(server.encoding);
    let mut groups: BTreeMap<&Symbol, Vec<Range>> = BTreeMap::new();
    for (symbol, place) in links {
        groups.entry(symbol).or_default().push(ranges.range(&view.analysis.sources, place.span));
    }
    let item = |(symbol, places)| Some((hierarchy_item(server, view, symbol, &mut ranges)?, places));
    groups.into_iter().filter_map(item).collect()
}
