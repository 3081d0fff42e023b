import CKernels

/// A computation, ready to run on memory in the layouts it was created for.
@safe final class Primitive: Sendable {
  /// A primitive's part in the computation of a group, in ascending significance.
  enum Contribution: Int {
    /// It reorders elements.
    case reorder
    /// It applies elementwise functions.
    case functions
    /// It computes the operator.
    case computation
  }

  /// Its part in the computation of a group.
  let contribution: Contribution
  /// Immutable and owned by this object, so threads may share it.
  nonisolated(unsafe) let handle: OpaquePointer
  /// Its component primitives, which must live as long.
  private let parts: [Primitive]

  /// Takes ownership of a primitive created by the kernels; `nil` if it is unsupported.
  init?(
    owning handle: OpaquePointer?, contribution: Contribution = .computation,
    keeping parts: [Primitive] = []
  ) {
    guard let handle = unsafe handle else { return nil }
    unsafe (self.handle, self.contribution, self.parts) = unsafe (handle, contribution, parts)
  }

  deinit { unsafe kernels_primitive_free(handle) }

  /// The layout of an argument.
  func layout(_ role: kernels_role) -> Layout? {
    unsafe Layout(owning: kernels_primitive_layout(handle, role))
  }

  /// The name of its implementation, for example `blocked convolution`.
  var name: String { unsafe String(cString: kernels_primitive_name(handle)) }

  /// A conversion between layouts.
  ///
  /// - Parameters:
  ///   - scales: A factor for each element along the first axis; none for no scaling.
  ///   - hasGroups: Whether the scales are for the first two axes together.
  static func reorder(
    from source: Layout, to target: Layout, scales: [Float] = [], hasGroups: Bool = false
  ) -> Primitive? {
    unsafe Primitive(
      owning: kernels_reorder(
        source.handle, target.handle, hasGroups, scales, Int32(scales.count)),
      contribution: .reorder)
  }

  /// An elementwise function.
  static func elementwise(_ function: ElementFunction, _ layout: Layout) -> Primitive? {
    unsafe Primitive(
      owning: kernels_elementwise(
        function.function, function.alpha, function.beta, layout.handle), contribution: .functions)
  }
}

/// An elementwise function with a kernel, and its parameters.
struct ElementFunction: Sendable {
  let function: kernels_function
  var alpha: Float = 0
  var beta: Float = 0
}

/// An operation on a primitive's result before it is stored.
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
    return unsafe operations.withUnsafeBufferPointer {
      unsafe body(kernels_post_operations(operations: $0.baseAddress, count: Int32($0.count)))
    }
  }
}
