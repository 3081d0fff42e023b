import Bytes
import CKernels
import GraphIR
import LayerCatalog

extension Pad: EngineOperator {
  func addSteps(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    if addPrimitive(to: &builder, for: group) { return true }
    let order = builder.inMemoryOrder(self, group)
    let type = order.input.elementType
    guard !order.outputShape.contains(0) else { return false }
    let output = builder.makeTensor(group.outputs[0], layout: order.outputLayout)
    let pieces = PaddedPieces(order.operation, order.shape, to: order.outputShape)
    let (source, target, size) = (order.input.storage, output.storage, type.byteCount)
    let fillValue = Tensor(type, shape: [], [value]).contiguousBytes()
    builder.add(
      .kernel(name: Self.kind) { memory in
        // Both storages were allocated for their tensors, and the pieces lie within both.
        let (from, to) = unsafe (memory[source], memory[target])
        pieces.forEach { piece in
          let destination = unsafe to + piece.target * size
          if let start = piece.source {
            unsafe destination.copyMemory(from: from + start * size, byteCount: piece.count * size)
          } else {
            for index in 0..<piece.count {
              for byte in 0..<size {
                unsafe destination.storeBytes(
                  of: fillValue[byte], toByteOffset: index * size + byte, as: UInt8.self)
              }
            }
          }
        }
      }, using: [source, target])
    return true
  }

  /// Adds the primitive that pads with a constant, in the input's memory order.
  private func addPrimitive(to builder: inout PlanBuilder, for group: NodeGroup) -> Bool {
    guard mode == .constant, builder.areFloats(group.inputs + group.outputs) else { return false }
    let input = builder.dense(group.inputs[0])
    guard let source = input.layout, let any = Layout.any(builder.shape(of: group.outputs[0])),
      let primitive = unsafe Primitive(
        owning: kernels_pad(source.handle, any.handle, before.map(Int64.init), Float(value))),
      let target = primitive.layout(kernels_role_target)
    else { return false }
    let output = builder.makeTensor(group.outputs[0], layout: target)
    builder.add(
      primitive, [(kernels_role_source, input.storage), (kernels_role_target, output.storage)])
    return true
  }
}

/// A contiguous run of elements of a padded tensor, and its source.
private struct PaddedPiece: Sendable {
  /// The offset of its first element in the result.
  var target: Int
  /// The offset in the input; `nil` for the fill value.
  var source: Int?
  var count: Int
}

/// The pieces of a padded tensor.
private struct PaddedPieces: Sendable {
  /// For each axis before the last padded one, the source offsets of its indices in elements; -1
  /// for the fill value.
  private let outer: [[Int]]
  /// The pieces along the last padded axis, including the axes after it.
  private let inner: [PaddedPiece]
  /// The number of elements of the result that `inner` covers.
  private let run: Int

  init(_ operation: Pad, _ shape: [Int], to target: [Int]) {
    let last = shape.indices.last { shape[$0] != target[$0] } ?? 0
    let strides = Tensor.rowMajorStrides(shape)
    func sources(_ axis: Int) -> [Int?] {
      shape.isEmpty
        ? [0]
        : (0..<target[axis]).map {
          operation.source(of: $0 - operation.before[axis], dimension: shape[axis])
        }
    }
    outer = (0..<last).map { axis in sources(axis).map { $0.map { $0 * strides[axis] } ?? -1 } }
    let size = shape.dropFirst(last + 1).reduce(1, *)
    var inner: [PaddedPiece] = []
    for (index, source) in sources(last).enumerated() {
      let start = source.map { $0 * size }
      if let last = inner.last, start == last.source.map({ $0 + last.count }) {
        inner[inner.count - 1].count += size
      } else {
        inner.append(PaddedPiece(target: index * size, source: start, count: size))
      }
    }
    self.inner = inner
    run = target.dropFirst(last).reduce(1, *)
  }

  /// Calls `body` for each piece of the whole result.
  func forEach(_ body: (PaddedPiece) -> Void) {
    for row in 0..<outer.map(\.count).reduce(1, *) {
      var (remainder, start) = (row, Int?(0))
      for axis in outer.indices.reversed() {
        let offset = outer[axis][remainder % outer[axis].count]
        start = offset < 0 ? nil : start.map { $0 + offset }
        remainder /= outer[axis].count
      }
      guard let start else {
        body(PaddedPiece(target: row * run, source: nil, count: run))
        continue
      }
      for piece in inner {
        body(
          PaddedPiece(
            target: row * run + piece.target, source: piece.source.map { start + $0 },
            count: piece.count))
      }
    }
  }
}
