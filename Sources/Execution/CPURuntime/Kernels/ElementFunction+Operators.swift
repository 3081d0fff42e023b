import CKernels
import LayerCatalog

extension ElementFunction {
  /// The functions that are composed to an operator; `nil` if there are none within its tolerance.
  ///
  /// They propagate infinities and NaN.
  static func functions(of operation: any CatalogOperator) -> [ElementFunction]? {
    switch operation {
    case let relu as ReLU: functions(of: relu)
    case let relu as LeakyReLU where relu.slope != 0:
      [.init(function: kernels_function_relu, alpha: Float(relu.slope))]
    case let clip as Clip: [clipping(clip.minimum, clip.maximum)]
    case let elu as ELU: [.init(function: kernels_function_elu, alpha: Float(elu.alpha))]
    case is SELU:
      [
        .init(function: kernels_function_elu, alpha: Float(SELU.alpha)),
        linear(SELU.scale, -0.0),
      ]
    case let gelu as GELU:
      [.init(function: gelu.isApproximate ? kernels_function_gelu_tanh : kernels_function_gelu_erf)]
    case let sigmoid as HardSigmoid:
      [linear(sigmoid.slope, sigmoid.offset), clipping(0, 1)]
    case is HardSwish: [.init(function: kernels_function_hardswish)]
    case is LogSigmoid: [.init(function: kernels_function_logsigmoid)]
    case is Mish: [.init(function: kernels_function_mish)]
    case let rescaling as Rescaling where rescaling.scale.count == 1 && rescaling.offset.count == 1:
      [linear(rescaling.scale[0], rescaling.offset[0])]
    case is Sigmoid: [.init(function: kernels_function_logistic)]
    case is Softplus: [.init(function: kernels_function_softplus)]
    case is Swish: [.init(function: kernels_function_swish, alpha: 1)]
    case let math as UnaryMath where math.function == .errorFunction:
      [.init(function: kernels_function_erf)]
    case is Tanh: [.init(function: kernels_function_tanh)]
    default: nil
    }
  }

  private static func functions(of relu: ReLU) -> [ElementFunction]? {
    guard relu.threshold == 0 else { return nil }
    guard let maximum = relu.maximum else {
      return [.init(function: kernels_function_relu, alpha: Float(relu.slope))]
    }
    return relu.slope == 0 ? [clipping(0, maximum)] : nil
  }

  private static func linear(_ factor: Double, _ summand: Double) -> ElementFunction {
    .init(function: kernels_function_linear, alpha: Float(factor), beta: Float(summand))
  }

  private static func clipping(_ minimum: Double, _ maximum: Double) -> ElementFunction {
    .init(function: kernels_function_clip, alpha: Float(minimum), beta: Float(maximum))
  }
}
