import CKernels
import LayerCatalog

/// An activation function of a cell's units, as kernels take it.
struct RowActivation: Sendable {
  /// A function without a kernel, boxed in an object that kernels can point to.
  @safe private final class Body: Sendable {
    let apply: @Sendable (UnsafeMutableBufferPointer<Float>) -> Void

    init(_ apply: @escaping @Sendable (UnsafeMutableBufferPointer<Float>) -> Void) {
      unsafe self.apply = unsafe apply
    }
  }

  private let function: ElementFunction
  private let body: Body?

  init(_ activation: CellActivation) {
    (function, body) =
      switch activation.operation {
      case is Tanh: (ElementFunction(function: kernels_function_tanh), nil)
      case is Sigmoid: (ElementFunction(function: kernels_function_logistic), nil)
      case is Identity: (Self.identity, nil)
      default: (Self.identity, Self.body(activation))
      }
  }

  private static let identity = ElementFunction(function: kernels_function_linear, alpha: 1)

  private static func body(_ activation: CellActivation) -> Body {
    unsafe Body { row in
      for (index, result) in unsafe activation.apply(row.map { Double($0) }[...]).enumerated() {
        unsafe row[index] = Float(result)
      }
    }
  }

  /// Calls `use` with what kernels take, which is valid during the call.
  func withKernel<Result>(_ use: (kernels_activation) -> Result) -> Result {
    withExtendedLifetime(body) {
      var kernel = unsafe kernels_activation(
        function: function.function, alpha: function.alpha, beta: function.beta, body: nil,
        context: nil)
      if let body {
        unsafe kernel.context = unsafe UnsafeRawPointer(Unmanaged.passUnretained(body).toOpaque())
        unsafe kernel.body = { context, elements, count in
          guard let context = unsafe context else { return }
          // The object lives as long as the call.
          unsafe Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
            .apply(UnsafeMutableBufferPointer(start: elements, count: Int(count)))
        }
      }
      return unsafe use(kernel)
    }
  }
}

/// A cell of a recurrent layer, and its activations.
struct RecurrentCell: Sendable {
  let kind: kernels_cell
  /// The activation of the candidates.
  let activation: RowActivation
  /// The activation of the gates.
  let gates: RowActivation

  init(_ kind: kernels_cell, _ activation: CellActivation, gates: CellActivation) {
    self.kind = kind
    self.activation = RowActivation(activation)
    self.gates = RowActivation(gates)
  }
}
