/// Iterates over the lanes of a tensor: the elements along some axes, for each index of the others.
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

  /// The number of lanes.
  var count: Int { dimensions.reduce(1, *) }

  /// The number of neighboring lanes that are adjacent in memory.
  var contiguousCount: Int { strides.last == 1 ? dimensions[dimensions.count - 1] : 1 }

  /// The offset of a lane's first element.
  func start(of lane: Int) -> Int {
    var (remainder, start) = (lane, 0)
    for axis in dimensions.indices.reversed() {
      start += remainder % dimensions[axis] * strides[axis]
      remainder /= dimensions[axis]
    }
    return start
  }
}

/// A lane's numbers, which a function replaces.
@safe struct Lane {
  let numbers: UnsafeMutableBufferPointer<Double>
  /// The index of the lane.
  let number: Int
}

/// What a lane kernel writes.
enum LaneResult: Sendable {
  /// The whole lane, at its original position.
  case lane
  /// The first number of each lane, contiguously.
  case first
}

/// Elements in memory with their conversion from and to `Double`.
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
    // Sixteen adjacent float32 numbers fill a cache line.
    let width = max(1, min(walk.contiguousCount, 16, (1 << 15) / max(1, length)))
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

/// A function of lanes, which are gathered and scattered back.
private struct LaneKernel: Sendable {
  let walk: LaneWalk
  let result: LaneResult
  let source: NumberStorage
  let target: NumberStorage
  /// The number of neighboring lanes computed at once.
  let width: Int
  let parts: Int
  /// For each part, a buffer for `width` lanes and one element of each.
  let scratch: Storage
  let function: @Sendable (Lane) -> Void

  private var length: Int { walk.offsets.count }

  func run(_ memory: KernelMemory) {
    // Each part has its own buffer, and no two write the same elements.
    nonisolated(unsafe) let memory = memory
    let contiguousCount = max(1, walk.contiguousCount)
    let blocks = (contiguousCount + width - 1) / width
    let count = walk.count / contiguousCount * blocks
    Threads.parallel(parts) { part in
      let buffer =
        unsafe memory[scratch].assumingMemoryBound(to: Double.self)
        + part * (width + 1) * max(length, width)
      for number in part * count / parts..<(part + 1) * count / parts {
        let first = number / blocks * contiguousCount + number % blocks * width
        let lanes = min(width, contiguousCount - number % blocks * width)
        unsafe compute(first..<first + lanes, buffer, memory)
      }
    }
  }

  private func compute(
    _ lanes: Range<Int>, _ buffer: UnsafeMutablePointer<Double>, _ memory: KernelMemory
  ) {
    let start = walk.start(of: lanes.lowerBound)
    let from = unsafe memory[source.storage] + start * source.access.size
    unsafe gather(lanes.count, from, buffer)
    for (position, number) in lanes.enumerated() {
      let first = unsafe buffer + position * length
      let numbers = unsafe UnsafeMutableBufferPointer(start: first, count: length)
      unsafe function(Lane(numbers: numbers, number: number))
      if result == .first {
        unsafe target.access.write(
          first, count: 1, to: memory[target.storage] + number * target.access.size)
      }
    }
    guard result == .lane else { return }
    unsafe scatter(lanes.count, buffer, memory[target.storage] + start * target.access.size)
  }

  /// Gathers neighboring lanes contiguously.
  private func gather(
    _ count: Int, _ from: UnsafeMutableRawPointer, _ buffer: UnsafeMutablePointer<Double>
  ) {
    let (access, offsets) = (source.access, walk.offsets)
    if count == 1 {
      forEachRun { first, length in
        unsafe access.read(
          from + offsets[first] * access.size, step: 1, count: length, to: buffer + first)
      }
      return
    }
    let packed = unsafe buffer + width * length
    for index in offsets.indices {
      unsafe access.read(from + offsets[index] * access.size, step: 1, count: count, to: packed)
      for lane in 0..<count { unsafe buffer[lane * length + index] = unsafe packed[lane] }
    }
  }

  /// Scatters neighboring lanes back.
  private func scatter(
    _ count: Int, _ buffer: UnsafeMutablePointer<Double>, _ to: UnsafeMutableRawPointer
  ) {
    let (access, offsets) = (target.access, walk.offsets)
    if count == 1 {
      forEachRun { first, length in
        unsafe access.write(buffer + first, count: length, to: to + offsets[first] * access.size)
      }
      return
    }
    let packed = unsafe buffer + width * length
    for index in offsets.indices {
      for lane in 0..<count { unsafe packed[lane] = unsafe buffer[lane * length + index] }
      unsafe access.write(packed, count: count, to: to + offsets[index] * access.size)
    }
  }

  /// Calls `body` for each contiguous run of a lane's elements, with the index of its first element
  /// and its length.
  private func forEachRun(_ body: (_ first: Int, _ count: Int) -> Void) {
    var first = 0
    for end in 1..<max(1, length) where walk.offsets[end] != walk.offsets[end - 1] + 1 {
      body(first, end - first)
      first = end
    }
    if length > 0 { body(first, length - first) }
  }
}
