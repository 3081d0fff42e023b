import Bytes
import GraphIR

/// A 16-bit floating-point type whose numbers are held as float32.
///
/// Kernels compute in float32, and the outputs of each node are rounded to the type as in its
/// reference kernel.
struct NarrowFloat: Sendable {
  /// The type in the graph.
  let type: ElementType

  /// - Returns: `nil` for other types.
  init?(_ type: ElementType) {
    guard type == .float16 || type == .bfloat16 else { return nil }
    self.type = type
  }

  /// Rounds numbers to the type, in place.
  func round(_ numbers: UnsafeMutableBufferPointer<Float>) {
    if type == .float16 {
      unsafe numbers.apply(\.roundedToFloat16)
    } else {
      unsafe numbers.apply(\.roundedToBfloat16)
    }
  }
}

extension Float {
  /// The nearest number of float16, ties to even; infinite from 65520 on.
  @inline(__always)
  fileprivate var roundedToFloat16: Float {
    let bits = magnitude.bitPattern
    // 13 bits of the significand are dropped.
    let even = (bits &+ 0x0FFF &+ (bits &>> 13 & 1)) & ~0x1FFF
    let normal = Float(bitPattern: even)
    let bounded = normal > 65504 ? .infinity : normal
    // Below 2^-14 the numbers are 2^-24 apart, as float32 numbers between 1/2 and 1 are.
    let small = (magnitude + 0.75) - 0.75
    let result = magnitude < 6.103_515_625e-5 ? small : bounded
    let signed = self < 0 ? -result : result
    return isNaN || self == 0 ? self : signed
  }

  /// The nearest number of bfloat16, ties to even.
  @inline(__always)
  fileprivate var roundedToBfloat16: Float {
    let even = (bitPattern &+ 0x7FFF &+ (bitPattern &>> 16 & 1)) & 0xFFFF_0000
    return isNaN ? self : Float(bitPattern: even)
  }
}

extension TensorType {
  /// The type in which the engine holds such a tensor.
  var held: TensorType {
    NarrowFloat(elementType) == nil ? self : TensorType(.float32, shape)
  }
}

extension Tensor {
  /// The same numbers in another type.
  func held(as type: ElementType) -> Tensor {
    type == elementType ? self : Tensor(type, shape: shape, doubles)
  }
}

extension PlanBuilder {
  /// The name of the rounding kernel.
  static let roundingName = "rounding"

  /// Adds the rounding of a group's outputs to their 16-bit type.
  mutating func addRounding(of group: NodeGroup) {
    for id in group.outputs {
      guard let narrow = NarrowFloat(graph[id].type.elementType) else { continue }
      let tensor = tensor(id)
      // Constants are rounded already.
      guard case .region = tensor.storage.memory else { continue }
      let count = tensor.byteCount / MemoryLayout<Float>.stride
      add(
        .kernel(name: Self.roundingName) { memory in
          // The storage was allocated for all elements of this tensor.
          let start = unsafe memory[tensor.storage].assumingMemoryBound(to: Float.self)
          unsafe narrow.round(UnsafeMutableBufferPointer(start: start, count: count))
        }, using: [tensor.storage])
    }
  }
}
