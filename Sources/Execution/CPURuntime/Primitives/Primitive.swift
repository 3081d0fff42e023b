import CKernels

/// A computation, ready to run on any memory of the layouts it was made for.
final class Primitive: Sendable {
  /// How much a primitive is of what it is made for.
  enum Share: Int {
    /// It brings elements into another order.
    case order
    /// It applies functions to elements.
    case functions
    /// It computes.
    case whole
  }

  /// How much it is of what it is made for.
  let share: Share
  /// Never changed, and freed by nobody else, so that threads may share it.
  nonisolated(unsafe) let handle: OpaquePointer
  /// What it consists of, which must live as long.
  private let parts: [Primitive]

  /// Takes over what a function of the kernels made; `nil` when that cannot be computed.
  init?(owning handle: OpaquePointer?, share: Share = .whole, keeping parts: [Primitive] = []) {
    guard let handle else { return nil }
    (self.handle, self.share, self.parts) = (handle, share, parts)
  }

  deinit { kernels_primitive_free(handle) }

  /// The layout that it takes or makes.
  func layout(_ role: kernels_role) -> Layout? {
    Layout(owning: kernels_primitive_layout(handle, role))
  }

  /// What computes it, for example `blocked convolution`.
  var name: String { String(cString: kernels_primitive_name(handle)) }

  /// Another order of the same elements in memory.
  ///
  /// - Parameters:
  ///   - scales: A factor for each element along the first axis; none for no scaling.
  ///   - hasGroups: Whether the scales are for the first two axes together.
  static func reorder(
    from source: Layout, to target: Layout, scales: [Float] = [], hasGroups: Bool = false
  ) -> Primitive? {
    Primitive(
      owning: kernels_reorder(
        source.handle, target.handle, hasGroups, scales, Int32(scales.count)),
      share: .order)
  }

  /// A function of each element, then more functions of that.
  static func elementwise(_ function: ElementFunction, _ layout: Layout) -> Primitive? {
    Primitive(
      owning: kernels_elementwise(
        function.function, function.alpha, function.beta, layout.handle), share: .functions)
  }
}

/// A function of one element that there is a kernel for, with its settings.
struct ElementFunction: Sendable {
  let function: kernels_function
  var alpha: Float = 0
  var beta: Float = 0
}

/// What becomes of a primitive's result before it is stored.
enum PostOperation: Sendable {
  /// A function of each element.
  case function(ElementFunction)
  /// The sum with what the target's memory held before.
  case sum
}

extension [PostOperation] {
  /// Calls `body` with the operations as kernels take them.
  func withOperations<Result>(_ body: (kernels_post_operations) -> Result) -> Result {
    let operations = map { operation in
      switch operation {
      case .sum: kernels_post_operation(is_sum: true, function: .init(0), alpha: 0, beta: 0)
      case .function(let function):
        kernels_post_operation(
          is_sum: false, function: function.function, alpha: function.alpha, beta: function.beta)
      }
    }
    // They are copied during the call.
    return operations.withUnsafeBufferPointer {
      body(kernels_post_operations(operations: $0.baseAddress, count: Int32($0.count)))
    }
  }
}
