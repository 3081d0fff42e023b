import CKernels
import GraphIR

/// Rounds a weight to integers, column after column; each makes up for what those before it did to the
/// product with the inputs (Frantar et al. 2022, in the form of Babai's nearest plane).
struct WeightRounding: Sendable {
  let weight: CompactableWeight
  let basis: RoundingBasis
  let grid: Grid

  /// What a rounded weight can be.
  enum Grid: Sendable {
    /// Integers times a step of their own for each row.
    case rows([Float])
    /// The same by dependent quantization, whose states run from row to row.
    case dependent([Float])
    /// Integers of a range times a step of their own for each element, `[columns, rows]`.
    case elements([Float], ClosedRange<Int32>)
    /// Rising numbers; the integers are their indices.
    case levels([Float])
  }

  /// A rounded weight.
  struct Result: Sendable {
    /// `[columns, rows]`
    let integers: [Int32]
    /// The mean square of what the error does to the product with the inputs, summed over the rows.
    let loss: Double
  }

  /// Outputs that one thread rounds at a time; with dependent quantization, after which states begin anew.
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
      for (place, column) in task.block.order.enumerated() {
        let start = column * rows + task.rows.lowerBound
        for row in 0..<width { target[start + row] = source[place * width + row] }
      }
    }
    return Result(integers: integers, loss: results.reduce(0) { $0 + $1.loss })
  }
}

/// Some rows of a block, rounded by one thread.
///
/// The C kernels get parts of lists that hold a number for each place and row.
private struct RoundingTask: Sendable {
  let rows: Range<Int>
  let block: RoundingBasis.Block
  let rowCount: Int

  /// - Parameter elements: The whole weight, `[columns, rows]`.
  func round(_ elements: [Float], _ rounding: WeightRounding) -> WeightRounding.Result {
    let (width, count) = (rows.count, block.order.count)
    let weights = own(elements)
    var loss = 0.0
    var errors = [Float](repeating: 0, count: count * width)
    let integers = [Int32](unsafeUninitializedCapacity: count * width) { integers, initialized in
      var call = kernels_rounding()
      call.outputs = Int32(width)
      (call.stride, call.factor_stride) = (width, count)
      (call.least, call.greatest) = (-1 << 24, 1 << 24)
      call.integers = integers.baseAddress
      let numbers: [Float]
      switch rounding.grid {
      case .rows(let steps), .dependent(let steps): numbers = Array(steps[rows])
      case .elements(let steps, let range):
        numbers = own(steps)
        call.step_stride = width
        (call.least, call.greatest) = (range.lowerBound, range.upperBound)
      case .levels(let levels): numbers = levels
      }
      loss = numbers.withUnsafeBufferPointer { numbers in
        weights.withUnsafeBufferPointer { weights in
          call.weights = weights.baseAddress
          if case .levels = rounding.grid {
            (call.levels, call.level_count) = (numbers.baseAddress, Int32(numbers.count))
          } else {
            call.steps = numbers.baseAddress
          }
          if case .dependent = rounding.grid {
            return round(&errors, call) { kernels_round_dependent(&$0) }
          }
          return round(&errors, call) { kernels_round(&$0) }
        }
      }
      initialized = count * width
    }
    return WeightRounding.Result(integers: integers, loss: loss)
  }

  /// The task's part of numbers of all elements: `[columns, rows]`, the columns in the order of the block.
  private func own(_ numbers: [Float]) -> [Float] {
    var own: [Float] = []
    own.reserveCapacity(block.order.count * rows.count)
    for column in block.order {
      own += numbers[column * rowCount + rows.lowerBound..<column * rowCount + rows.upperBound]
    }
    return own
  }

  /// Rounds block by block, from the last place to the first.
  private func round(
    _ errors: inout [Float], _ call: kernels_rounding,
    by kernel: (inout kernels_rounding) -> Double
  ) -> Double {
    let (width, count) = (rows.count, block.order.count)
    let blockSize = Int(KERNELS_ROUNDED_POSITIONS)
    var sums = [Float](repeating: 0, count: blockSize * width)
    var loss = 0.0
    errors.withUnsafeMutableBufferPointer { errors in
      (block.factor?.elements ?? []).withUnsafeBufferPointer { factors in
        let factors = block.factor == nil ? nil : factors.baseAddress
        for start in stride(from: 0, to: count, by: blockSize).reversed() {
          let places = start..<min(start + blockSize, count)
          sums.withUnsafeMutableBufferPointer { sums in
            sums.update(repeating: 0)
            guard let errors = errors.baseAddress, let sums = sums.baseAddress else { return }
            if let factors, places.upperBound < count {
              // transposed(L[later, places]) * errors[later]
              TileProduct(
                depth: count - places.upperBound, factor: 1,
                first: factors + places.upperBound * count + start, firstStrides: (1, count),
                second: errors + places.upperBound * width, secondStrides: (width, 1),
                target: sums, targetStride: width
              ).add(Tile(rows: 0..<places.count, columns: 0..<width))
            }
            var call = call
            call.positions = Int32(places.count)
            call.factor = factors.map { $0 + start * (count + 1) }
            call.weights += start * width
            call.integers += start * width
            if call.step_stride > 0 { call.steps += start * width }
            (call.errors, call.sums) = (errors + start * width, sums)
            loss += kernel(&call)
          }
        }
      }
    }
    return loss
  }
}
