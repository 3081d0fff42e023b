/// A graph as a tree of drawings, each small enough to view: nested models are blocks, and where
/// there are still too many boxes, neighbors are grouped into blocks too.
struct GraphOutline {
  /// A box of a drawing.
  enum Item {
    case step(Int)
    case block(Block)

    /// The steps in it.
    var steps: [Int] {
      switch self {
      case .step(let step): [step]
      case .block(let block): block.steps
      }
    }
  }

  /// Steps that are drawn as one box, and separately elsewhere.
  struct Block {
    let name: String
    /// Whether this is a part of the model itself, with this name.
    let isNamed: Bool
    let items: [Item]
    /// All steps, ascending.
    let steps: [Int]
    /// The number of steps that are layers rather than inputs or outputs.
    let layerCount: Int

    init(name: String, isNamed: Bool, items: [Item], of graph: StepGraph) {
      self.name = name
      self.isNamed = isNamed
      self.items = items
      steps = items.flatMap(\.steps).sorted()
      layerCount = steps.count { graph.steps[$0].kind == .operation }
    }
  }

  /// The most boxes of a drawing.
  static let boxLimit = 48

  /// The boxes of the first drawing.
  let items: [Item]
  private let graph: StepGraph

  init(_ graph: StepGraph) {
    self.graph = graph
    items = Self.items(Array(graph.steps.indices), depth: 0, of: graph)
  }

  /// Returns the arrows between the boxes of a drawing, by index; each pair once, in a fixed order.
  static func arrows(among items: [Item], of graph: StepGraph) -> [LayeredLayout.Arrow] {
    var boxes: [Int: Int] = [:]
    for (box, item) in items.enumerated() { for step in item.steps { boxes[step] = box } }
    var listed: Set<LayeredLayout.Arrow> = []
    return items.enumerated().flatMap { from, item in
      item.steps.flatMap { graph.readers[$0] }.compactMap { reader in
        guard let to = boxes[reader], from != to else { return nil }
        let arrow = LayeredLayout.Arrow(from: from, to: to)
        return listed.insert(arrow).inserted ? arrow : nil
      }
    }
  }

  /// Returns the steps of one nested model as boxes: a block for each model within it. (The depth
  /// of the recursion is bounded by that of the scopes.)
  private static func items(_ steps: [Int], depth: Int, of graph: StepGraph) -> [Item] {
    var order: [String] = []
    var members: [String: [Int]] = [:]
    var result: [(first: Int, item: Item)] = []
    for step in steps {
      let scope = graph.steps[step].scope
      guard scope.count > depth else {
        result.append((step, .step(step)))
        continue
      }
      if members[scope[depth]] == nil { order.append(scope[depth]) }
      members[scope[depth], default: []].append(step)
    }
    let operationCount = steps.count { graph.steps[$0].kind == .operation }
    for name in order {
      let inner = members[name] ?? []
      let items = items(inner, depth: depth + 1, of: graph)
      let isRedundant = inner.count == 1 || inner.count == operationCount
      result +=
        isRedundant
        ? items.map { ($0.steps.first ?? 0, $0) }
        : [(inner[0], .block(Block(name: name, isNamed: true, items: items, of: graph)))]
    }
    return folded(result.sorted { $0.first < $1.first }.map(\.item), of: graph)
  }

  /// Returns at most ``boxLimit`` boxes: neighbors are grouped into blocks of about equal numbers
  /// of boxes, divided where little data flows from one side to the other.
  private static func folded(_ items: [Item], of graph: StepGraph) -> [Item] {
    guard items.count > boxLimit else { return items }
    var (levels, reach) = (1, boxLimit)
    while reach < items.count { (levels, reach) = (levels + 1, reach * boxLimit) }
    // With this root there are about as many blocks as boxes in each of them.
    var root = 2
    while power(root, levels) < items.count { root += 1 }
    let size = max(2, items.count / root)
    let flow = flow(across: items, of: graph)
    var (blocks, start) = ([Item](), 0)
    while start < items.count {
      var end = items.count
      if start + size + size / 2 < items.count {
        let range = start + max(1, size - size / 3)...start + size + size / 3
        // Of cuts with equal flow the one nearest the target size is taken.
        end =
          range.min { left, right in
            (flow[left], abs(left - start - size)) < (flow[right], abs(right - start - size))
          } ?? end
      }
      let part = Array(items[start..<end])
      blocks.append(part.count == 1 ? part[0] : block(part, of: graph))
      start = end
    }
    return folded(blocks, of: graph)
  }

  private static func block(_ items: [Item], of graph: StepGraph) -> Item {
    func name(_ item: Item?) -> String {
      switch item {
      case .step(let step): graph.steps[step].title
      case .block(let block): block.name
      case nil: ""
      }
    }
    return .block(
      Block(
        name: "\(name(items.first)) \u{2026} \(name(items.last))", isNamed: false,
        items: folded(items, of: graph), of: graph))
  }

  /// Returns for each position the number of boxes before it that are read at or after it.
  private static func flow(across items: [Item], of graph: StepGraph) -> [Int] {
    var last = [Int](0..<items.count)
    for arrow in arrows(among: items, of: graph) where arrow.from < arrow.to {
      last[arrow.from] = max(last[arrow.from], arrow.to)
    }
    var changes = [Int](repeating: 0, count: items.count + 2)
    for (box, end) in last.enumerated() where end > box {
      changes[box + 1] += 1
      changes[end + 1] -= 1
    }
    var open = 0
    return changes.map { change in
      open += change
      return open
    }
  }

  private static func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { product, _ in min(product * base, 1 << 40) }
  }
}
