/// The layout of an arena: regions with overlapping lifetimes do not overlap in memory.
struct ArenaLayout: Sendable {
  /// A part of the arena that steps read and write.
  struct Region: Sendable {
    /// The size in bytes.
    var byteCount: Int
    /// The first step that uses it; -1 for inputs.
    var first = Int.max
    /// The last step that uses it.
    var last = Int.min
    /// The region that contains it, and its offset there.
    var parent: (region: Int, offset: Int)?

    /// Extends the lifetime to a step.
    mutating func use(at step: Int) {
      first = min(first, step)
      last = max(last, step)
    }
  }

  /// The offset of each region from the start of the arena, in bytes.
  private(set) var offsets: [Int]
  /// The size of the arena in bytes.
  private(set) var byteCount = 0
  /// The peak size of live regions in bytes: the lower bound of any layout.
  let lowerBound: Int

  /// Aligns regions to vector registers, and to cache lines so that no two regions share one.
  static let alignment = 64

  /// Places the regions one by one at the lowest free offset: the largest first, and if that is not
  /// optimal, in other orders, of which the best is kept.
  ///
  /// - Complexity: Quadratic in the number of regions.
  init(_ regions: [Region]) {
    var regions = regions
    // Parts come before their parents, so one pass is enough.
    for index in regions.indices {
      guard let parent = regions[index].parent?.region else { continue }
      regions[parent].first = min(regions[parent].first, regions[index].first)
      regions[parent].last = max(regions[parent].last, regions[index].last)
    }
    offsets = .init(repeating: 0, count: regions.count)
    lowerBound = Self.lowerBound(regions)
    let roots = regions.indices.filter {
      regions[$0].parent == nil && regions[$0].last >= regions[$0].first
    }
    byteCount = .max
    for isBefore in Self.orders where byteCount > lowerBound {
      var attempt = self
      attempt.byteCount = 0
      var placed: [Int] = []
      for index in roots.sorted(by: { isBefore(regions[$0], regions[$1]) }) {
        attempt.place(index, among: &placed, regions)
      }
      if attempt.byteCount < byteCount {
        (offsets, byteCount) = (attempt.offsets, attempt.byteCount)
      }
    }
    for index in regions.indices.reversed() {
      if let (parent, offset) = regions[index].parent { offsets[index] = offsets[parent] + offset }
    }
  }

  /// Which of two regions is placed first.
  private static let orders: [@Sendable (Region, Region) -> Bool] = [
    { $0.byteCount > $1.byteCount },
    { ($0.last - $0.first, $0.byteCount) > ($1.last - $1.first, $1.byteCount) },
    { ($0.first, $1.byteCount) < ($1.first, $0.byteCount) },
    { ($1.last, $1.byteCount) < ($0.last, $0.byteCount) },
  ]

  private mutating func place(_ index: Int, among placed: inout [Int], _ regions: [Region]) {
    let region = regions[index]
    var start = 0
    // `placed` is sorted by offset, so the first gap that is large enough is the lowest.
    for other in placed
    where regions[other].first <= region.last && regions[other].last >= region.first {
      if offsets[other] >= start + Self.rounded(region.byteCount) { break }
      start = max(start, offsets[other] + Self.rounded(regions[other].byteCount))
    }
    offsets[index] = start
    byteCount = max(byteCount, start + Self.rounded(region.byteCount))
    let position = placed.firstIndex { offsets[$0] > start } ?? placed.count
    placed.insert(index, at: position)
  }

  private static func rounded(_ count: Int) -> Int {
    (count + alignment - 1) / alignment * alignment
  }

  private static func lowerBound(_ regions: [Region]) -> Int {
    var changes: [Int: Int] = [:]
    for region in regions where region.parent == nil && region.last >= region.first {
      changes[region.first, default: 0] += rounded(region.byteCount)
      changes[region.last + 1, default: 0] -= rounded(region.byteCount)
    }
    var (current, largest) = (0, 0)
    for step in changes.keys.sorted() {
      current += changes[step] ?? 0
      largest = max(largest, current)
    }
    return largest
  }
}
