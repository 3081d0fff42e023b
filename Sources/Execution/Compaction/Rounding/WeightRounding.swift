import CKernels
import GraphIR

/// Rounds a weight to integers column by column; each column compensates for the errors of those
/// before it in the product with the inputs (Frantar et al. 2022, as Babai's nearest plane
/// algorithm).
struct WeightRounding: Sendable {
  let weight: CompactableWeight
  let basis: RoundingBasis
  let grid: Grid

  /// The values that a rounded weight can take.
  enum Grid: Sendable {
    /// Integers times a step per row.
    case rows([Float])
    /// The same with dependent quantization, whose states run from row to row.
    case dependent([Float])
    /// Integers of a range times a step per element, `[columns, rows]`.
    case elements([Float], ClosedRange<Int32>)
    /// Ascending values; the integers are their indices.
    case levels([Float])
  }

  /// A rounded weight.
  struct Result: Sendable {
    /// `[columns, rows]`
    let integers: [Int32]
    /// The mean squared error of the product with the inputs, summed over the rows.
    let loss: Double
  }

  /// The number of outputs that one thread rounds at a time; dependent quantization restarts its
  /// states after as many.
  private var stripCount: Int {
    if case .dependent = grid { Int(KERNELS_DEPENDENT_OUTPUTS) } else { 64 }
  }

  /// Rounds. The result does not depend on the number of threads.
  func round(workers: Workers) -> Result {
    let (rows, columns) = (weight.rows, weight.columns)
    let elements = weight.transposed
    let height = rows / weight.groups
    let tasks = basis.blocks.flatMap { block in
      stride(from: 0, to: height, by: stripCount).map { start in
        let first = block.group * height
        return RoundingTask(
          rows: first + start..<first + min(start + stripCount, height), block: block,
          rowCount: rows)
      }
    }
    let results = workers.map(tasks.count) { tasks[$0].round(elements, self) }
    var integers = [Int32](repeating: 0, count: rows * columns)
    var target = integers.mutableSpan
    for (task, result) in zip(tasks, results) {
      let width = task.rows.count
      let source = result.integers.span
      for (position, column) in task.block.order.enumerated() {
        let start = column * rows + task.rows.lowerBound
        for row in 0..<width { target[start + row] = source[position * width + row] }
      }
    }
    return Result(integers: integers, loss: results.reduce(0) { $0 + $1.loss })
  }
}

/// Some rows of a block, rounded by one thread.
///
/// The C kernels get parts of arrays that hold a number for each position and row.
private struct RoundingTask: Sendable {
  let rows: Range<Int>
  let block: RoundingBasis.Block
  let rowCount: Int

  /// - Parameter elements: The whole weight, `[columns, rows]`.
  func round(_ elements: [Float], _ rounding: WeightRounding) -> WeightRounding.Result {
    let (width, count) = (rows.count, block.order.count)
    let weights = gathered(elements)
    var loss = 0.0
    var errors = [Float](repeating: 0, count: count * width)
    let integers = unsafe [Int32](unsafeUninitializedCapacity: count * width) {
      integers, initialized in
      var call = unsafe kernels_rounding()
      unsafe call.outputs = Int32(width)
      unsafe (call.stride, call.factor_stride) = (width, count)
      unsafe (call.least, call.greatest) = (-1 << 24, 1 << 24)
      unsafe call.integers = integers.baseAddress
      let numbers: [Float]
      switch rounding.grid {
      case .rows(let steps), .dependent(let steps): numbers = Array(steps[rows])
      case .elements(let steps, let range):
        numbers = gathered(steps)
        unsafe call.step_stride = width
        unsafe (call.least, call.greatest) = (range.lowerBound, range.upperBound)
      case .levels(let levels): numbers = levels
      }
      loss = unsafe numbers.withUnsafeBufferPointer { numbers in
        unsafe weights.withUnsafeBufferPointer { weights in
          unsafe call.weights = weights.baseAddress
          if case .levels = rounding.grid {
            unsafe (call.levels, call.level_count) = (numbers.baseAddress, Int32(numbers.count))
          } else {
            unsafe call.steps = numbers.baseAddress
          }
          if case .dependent = rounding.grid {
            return unsafe round(&errors, call) { unsafe kernels_round_dependent(&$0) }
          }
          return unsafe round(&errors, call) { unsafe kernels_round(&$0) }
        }
      }
      initialized = count * width
    }
    return WeightRounding.Result(integers: integers, loss: loss)
  }

  /// The task's elements of an array `[columns, rows]`, with the columns in the order of the block.
  private func gathered(_ numbers: [Float]) -> [Float] {
    var result: [Float] = []
    result.reserveCapacity(block.order.count * rows.count)
    for column in block.order {
      result += numbers[column * rowCount + rows.lowerBound..<column * rowCount + rows.upperBound]
    }
    return result
  }

  /// Rounds block by block, from the last position to the first.
  private func round(
    _ errors: inout [Float], _ call: kernels_rounding,
    by kernel: (inout kernels_rounding) -> Double
  ) -> Double {
    let (width, count) = (rows.count, block.order.count)
    let blockSize = Int(KERNELS_ROUNDED_POSITIONS)
    var sums = [Float](repeating: 0, count: blockSize * width)
    var loss = 0.0
    unsafe errors.withUnsafeMutableBufferPointer { errors in
      unsafe (block.factor?.elements ?? []).withUnsafeBufferPointer { factors in
        let factors = block.factor == nil ? nil : factors.baseAddress
        for start in stride(from: 0, to: count, by: blockSize).reversed() {
          let positions = start..<min(start + blockSize, count)
          unsafe sums.withUnsafeMutableBufferPointer { sums in
            unsafe sums.update(repeating: 0)
            guard let errors = errors.baseAddress, let sums = sums.baseAddress else { return }
            if let factors = unsafe factors, positions.upperBound < count {
              // transposed(L[later, positions]) * errors[later]
              unsafe TileProduct(
                depth: count - positions.upperBound, factor: 1,
                first: factors + positions.upperBound * count + start, firstStrides: (1, count),
                second: errors + positions.upperBound * width, secondStrides: (width, 1),
                target: sums, targetStride: width
              ).add(Tile(rows: 0..<positions.count, columns: 0..<width))
            }
            var call = unsafe call
            unsafe call.positions = Int32(positions.count)
            unsafe call.factor = unsafe factors.map { unsafe $0 + start * (count + 1) }
            unsafe call.weights += start * width
            unsafe call.integers += start * width
            if unsafe call.step_stride > 0 { unsafe call.steps += start * width }
            unsafe (call.errors, call.sums) = unsafe (errors + start * width, sums)
            unsafe loss += kernel(&call)
          }
        }
      }
    }
    return loss
  }
}
