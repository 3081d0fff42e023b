/// The lanes of a tensor: the elements along some axes, for each index of the others.
struct LaneWalk: Sendable {
  /// The sizes of the axes that are not the lanes' own.
  private let dimensions: [Int]
  private let strides: [Int]
  /// The distance of each element of a lane from its first one.
  let offsets: [Int]

  /// - Parameters:
  ///   - view: The tensor's elements.
  ///   - axes: The lanes' own axes, outermost first.
  init(_ view: StridedView, axes: [Int]) {
    let others = view.shape.indices.filter { !axes.contains($0) }
    dimensions = others.map { view.shape[$0] }
    strides = others.map { view.strides[$0] }
    var offsets = [0]
    for axis in axes {
      offsets = offsets.flatMap { start in
        (0..<view.shape[axis]).map { start + $0 * view.strides[axis] }
      }
    }
    self.offsets = offsets
  }

  /// How many lanes there are.
  var count: Int { dimensions.reduce(1, *) }

  /// How many neighbouring lanes stand side by side in memory.
  var neighbors: Int { strides.last == 1 ? dimensions[dimensions.count - 1] : 1 }

  /// Where a lane begins.
  func start(of lane: Int) -> Int {
    var (rest, start) = (lane, 0)
    for axis in dimensions.indices.reversed() {
      start += rest % dimensions[axis] * strides[axis]
      rest /= dimensions[axis]
    }
    return start
  }
}

/// A lane's numbers, which a function replaces by its own.
struct Lane {
  let numbers: UnsafeMutableBufferPointer<Double>
  /// Which one it is.
  let number: Int
}

/// What a lane kernel writes.
enum LaneResult: Sendable {
  /// All of the lane, where it stood.
  case lane
  /// The first number of each lane, one behind the other.
  case first
}

/// Elements in memory, and how they are read and written as numbers.
struct NumberStorage: Sendable {
  let storage: Storage
  let access: NumberAccess
}

extension PlanBuilder {
  /// Adds a function of the lanes of a tensor.
  ///
  /// - Parameters:
  ///   - walk: The lanes of the source.
  ///   - target: May be the source's memory.
  ///   - function: Replaces a lane's numbers.
  mutating func addLanes(
    _ walk: LaneWalk, _ result: LaneResult, from source: NumberStorage, to target: NumberStorage,
    name: String, _ function: @escaping @Sendable (Lane) -> Void
  ) {
    let length = walk.offsets.count
    // Sixteen float32 numbers side by side are a cache line.
    let width = max(1, min(walk.neighbors, 16, (1 << 15) / max(1, length)))
    let parts = min(threads, max(1, walk.count / width))
    let kernel = LaneKernel(
      walk: walk, result: result, source: source, target: target, width: width, parts: parts,
      scratch: addScratch(byteCount: parts * (width + 1) * max(length, width) * 8),
      function: function)
    add(
      .kernel(name: name) { memory in kernel.run(memory) },
      using: [source.storage, target.storage, kernel.scratch])
  }
}

/// A function of lanes, which are brought together and put back.
private struct LaneKernel: Sendable {
  let walk: LaneWalk
  let result: LaneResult
  let source: NumberStorage
  let target: NumberStorage
  /// How many neighbouring lanes are computed at once.
  let width: Int
  let parts: Int
  /// For each part, room for as many lanes, and for one element of each.
  let scratch: Storage
  let function: @Sendable (Lane) -> Void

  private var length: Int { walk.offsets.count }

  func run(_ memory: KernelMemory) {
    // Each part has room of its own, and no two write the same elements.
    nonisolated(unsafe) let memory = memory
    let neighbors = max(1, walk.neighbors)
    let blocks = (neighbors + width - 1) / width
    let count = walk.count / neighbors * blocks
    Threads.parallel(parts) { part in
      let room =
        memory[scratch].assumingMemoryBound(to: Double.self)
        + part * (width + 1) * max(length, width)
      for number in part * count / parts..<(part + 1) * count / parts {
        let first = number / blocks * neighbors + number % blocks * width
        let lanes = min(width, neighbors - number % blocks * width)
        compute(first..<first + lanes, room, memory)
      }
    }
  }

  private func compute(
    _ lanes: Range<Int>, _ room: UnsafeMutablePointer<Double>, _ memory: KernelMemory
  ) {
    let start = walk.start(of: lanes.lowerBound)
    let from = memory[source.storage] + start * source.access.size
    gather(lanes.count, from, room)
    for (position, number) in lanes.enumerated() {
      let first = room + position * length
      let numbers = UnsafeMutableBufferPointer(start: first, count: length)
      function(Lane(numbers: numbers, number: number))
      if result == .first {
        target.access.write(
          first, count: 1, to: memory[target.storage] + number * target.access.size)
      }
    }
    guard result == .lane else { return }
    scatter(lanes.count, room, memory[target.storage] + start * target.access.size)
  }

  /// Brings neighbouring lanes together, one behind the other.
  private func gather(
    _ count: Int, _ from: UnsafeMutableRawPointer, _ room: UnsafeMutablePointer<Double>
  ) {
    let (access, offsets) = (source.access, walk.offsets)
    if count == 1 {
      forEachRun { first, length in
        access.read(
          from + offsets[first] * access.size, step: 1, count: length, to: room + first)
      }
      return
    }
    let together = room + width * length
    for index in offsets.indices {
      access.read(from + offsets[index] * access.size, step: 1, count: count, to: together)
      for lane in 0..<count { room[lane * length + index] = together[lane] }
    }
  }

  /// Puts neighbouring lanes back.
  private func scatter(
    _ count: Int, _ room: UnsafeMutablePointer<Double>, _ to: UnsafeMutableRawPointer
  ) {
    let (access, offsets) = (target.access, walk.offsets)
    if count == 1 {
      forEachRun { first, length in
        access.write(room + first, count: length, to: to + offsets[first] * access.size)
      }
      return
    }
    let together = room + width * length
    for index in offsets.indices {
      for lane in 0..<count { together[lane] = room[lane * length + index] }
      access.write(together, count: count, to: to + offsets[index] * access.size)
    }
  }

  /// Calls `body` for the elements of a lane that stand one behind the other: with the first one's
  /// number, and how many there are.
  private func forEachRun(_ body: (_ first: Int, _ count: Int) -> Void) {
    var first = 0
    for end in 1..<max(1, length) where walk.offsets[end] != walk.offsets[end - 1] + 1 {
      body(first, end - first)
      first = end
    }
    if length > 0 { body(first, length - first) }
  }
}
