/// The page's style sheet: light and dark, for screens and for paper.
enum PageStyle {
  static let sheet = """
    /*<![CDATA[*/
    :root { color-scheme: light dark; --page: #fff; --ink: #1b1f24; --soft: #57606a; --line: #d0d7de;
      --card: #f6f8fa; --link: #0757ba; --good: #116329; --bad: #b3141d; --care: #7d4e00;
      --weighty: #dbe9ff; --plain: #f6f8fa; --port: #dcf3e1; --folded: #fff1cf; --bar: #3b78c3; }
    @media (prefers-color-scheme: dark) {
      :root { --page: #0f1318; --ink: #e6edf3; --soft: #a3adb8; --line: #3a424c; --card: #181e25;
        --link: #7ab7ff; --good: #6bd585; --bad: #ff938c; --care: #e7b75b; --weighty: #1d3557;
        --plain: #1f262e; --port: #17402a; --folded: #4a3a10; --bar: #5b9be6; } }
    * { box-sizing: border-box; }
    body { margin: 0; background: var(--page); color: var(--ink); line-height: 1.45;
      font: 15px/1.45 system-ui, sans-serif; overflow-wrap: anywhere; }
    .skip { position: absolute; left: -999px; }
    .skip:focus { left: 8px; top: 8px; background: var(--page); padding: 8px; z-index: 2; }
    header, main, footer { max-width: 1500px; margin: 0 auto; padding: 0 20px; }
    main > section { content-visibility: auto; contain-intrinsic-size: auto 900px; }
    h1 { font-size: 1.7rem; margin: 18px 0 2px; } h2 { font-size: 1.3rem; margin: 34px 0 8px;
      border-bottom: 1px solid var(--line); padding-bottom: 4px; }
    h3 { font-size: 1.05rem; margin: 18px 0 6px; }
    p { margin: 6px 0; max-width: 90ch; } a { color: var(--link); }
    .soft { color: var(--soft); } code { font-size: 0.95em; white-space: nowrap; }
    :focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
    nav ul { display: flex; flex-wrap: wrap; gap: 4px 16px; list-style: none; margin: 14px 0 0;
      padding: 0; }
    nav a { display: inline-block; padding: 3px 0; }
    .cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(250px, 1fr)); gap: 12px;
      margin-top: 12px; }
    .card { background: var(--card); border: 1px solid var(--line); border-radius: 8px;
      padding: 10px 14px; }
    .card h2, .card h3 { font-size: 0.95rem; margin: 0 0 4px; border: 0; padding: 0;
      color: var(--soft); }
    .card p { margin: 3px 0; } .card ul { margin: 3px 0; padding-left: 18px; }
    .verdict { font-size: 1.25rem; font-weight: 650; }
    .proven, .passed { color: var(--good); } .wrong, .failed { color: var(--bad); }
    .plausible, .warning, .unknown { color: var(--care); } .skipped { color: var(--soft); }
    .pair { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 0 28px; }
    @media (max-width: 900px) { .pair { grid-template-columns: minmax(0, 1fr); } }
    .missing { border-left: 4px solid var(--care); background: var(--card); padding: 8px 12px; }
    .wide { overflow-x: auto; }
    table { border-collapse: collapse; margin: 8px 0; font-variant-numeric: tabular-nums; }
    caption { text-align: left; color: var(--soft); padding: 4px 0; max-width: 90ch; }
    th, td { text-align: left; overflow-wrap: break-word; vertical-align: top; padding: 3px 12px 3px 0; font-weight: normal;
      border-bottom: 1px solid var(--line); }
    thead th { font-weight: 600; white-space: nowrap; }
    \(cells(of: "number", in: "")) { text-align: right; white-space: nowrap; }
    .code, \(cells(of: "code", in: "tbody ")) { font-family: ui-monospace, monospace; font-size: 0.92em; }
    tr:target { background: var(--folded); }
    dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 4px 16px; }
    dt { color: var(--soft); } dd { margin: 0; white-space: pre-line; }
    button, input { font: inherit; color: inherit; background: var(--card);
      border: 1px solid var(--soft); border-radius: 5px; padding: 3px 9px; }
    th button { border: 0; background: none; padding: 0; font-weight: 600; text-align: inherit;
      cursor: pointer; text-decoration: underline dotted; }
    .tools { display: flex; flex-wrap: wrap; gap: 8px; align-items: center; margin: 8px 0; }
    .drawing { overflow: auto; max-height: 80vh; border: 1px solid var(--line); border-radius: 8px;
      margin: 8px 0; padding: 8px; }
    .drawing svg { display: block; margin: 0 auto; max-width: none; }
    .drawing text { font: 12px ui-monospace, monospace; text-anchor: middle; fill: var(--ink); }
    .drawing text + text { font-size: 11px; }
    .drawing rect { stroke: var(--soft); fill: var(--plain); rx: 6px; } .weighty rect { fill: var(--weighty); }
    .port rect { fill: var(--port); }
    .folded rect { fill: var(--folded); stroke-width: 2.5; }
    .drawing a:hover text { text-decoration: underline; }
    .drawing path { fill: none; stroke: var(--soft); stroke-width: 1.2; marker-end: url(#arrow); }
    #arrow path { fill: var(--soft); } .defs { position: absolute; }
    .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; padding: 0; }
    .legend svg { vertical-align: -3px; } .legend rect { stroke: var(--soft); fill: var(--plain); }
    .legend .weighty rect { fill: var(--weighty); } .legend .port rect { fill: var(--port); }
    .legend .folded rect { fill: var(--folded); stroke-width: 2.5; }
    details.block { margin: 6px 0 6px 12px; } summary { cursor: pointer; padding: 3px 0; }
    .bars { fill: var(--bar); } .track { fill: var(--line); }
    figure { margin: 10px 0; } img { max-width: 100%; height: auto; }
    footer { margin-top: 40px; padding-bottom: 30px; color: var(--soft); }
    @media print { nav, .tools, .skip { display: none; } .drawing { overflow: visible;
      max-height: none; border: 0; } .drawing svg { max-width: 100%; height: auto; }
      body { font-size: 11px; } .wide { overflow: visible; } tr, .card, figure { break-inside: avoid; }
      h2, h3 { break-after: avoid; } }
    /*]]>*/
    """

  /// Returns the selector for the cells of all columns of a kind, which a table's classes name.
  private static func cells(of kind: String, in part: String) -> String {
    (1...PageTable.columnLimit).flatMap { column in
      ["td", "th"].map { ".\(kind)-\(column) \(part)\($0):nth-child(\(column))" }
    }
    .joined(separator: ", ")
  }
}
