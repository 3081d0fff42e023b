import Bytes
import ConversionCore
import GraphIR
import LayerCatalog

/// Activations: functions of elements, and along an axis.
enum PyTorchActivations {
  static let rows: [PyTorchRow] =
    plain + [
      PyTorchRow(expression: ReLU.self) { (operation, builder) throws(WeighbridgeError) in
        guard operation.isPrimitive else { return nil }
        if operation.slope == 0, operation.maximum == 6 { return "F.relu6(\(builder[0]))" }
        let rectified: PythonExpression =
          operation.slope == 0
          ? "F.relu(\(builder[0]))" : "F.leaky_relu(\(builder[0]), \(operation.slope))"
        guard let maximum = operation.maximum else { return rectified }
        return "\(rectified).clamp(max=\(maximum))"
      },
      PyTorchRow(expression: LeakyReLU.self) { "F.leaky_relu(\($1[0]), \($0.slope))" },
      PyTorchRow(expression: ELU.self) {
        $0.alpha == 1 ? "F.elu(\($1[0]))" : "F.elu(\($1[0]), \($0.alpha))"
      },
      PyTorchRow(expression: CELU.self) { $0.alpha > 0 ? "F.celu(\($1[0]), \($0.alpha))" : nil },
      PyTorchRow(expression: GELU.self) {
        $0.isApproximate ? "F.gelu(\($1[0]), approximate=\"tanh\")" : "F.gelu(\($1[0]))"
      },
      PyTorchRow(expression: HardSigmoid.self) {
        $0.slope == 1 / 6 && $0.offset == 0.5
          ? "F.hardsigmoid(\($1[0]))"
          : "(\($1[0]) * \($0.slope) + \($0.offset)).clamp(0.0, 1.0)"
      },
      PyTorchRow(expression: GLU.self) { "F.glu(\($1[0]), \($0.axis))" },
      PyTorchRow(expression: Softmax.self) {
        $0.axes.count == 1 ? "F.softmax(\($1[0]), dim=\($0.axes[0]))" : nil
      },
      PyTorchRow(expression: LogSoftmax.self) {
        $0.axes.count == 1 ? "F.log_softmax(\($1[0]), dim=\($0.axes[0]))" : nil
      },
      PyTorchRow(value: PReLU.self) { (_, builder) throws(WeighbridgeError) in
        let alpha = try builder.tensor(1)
        guard alpha.shape.dropFirst().allSatisfy({ $0 == 1 }) else { return nil }
        let module = try builder.module(
          "nn.PReLU", [.init("\(alpha.count)")], ["weight": alpha.reshaped([alpha.count])])
        return try builder.add("\(module)(\(builder[0]))")
      },
    ]

  private static let plain: [PyTorchRow] = [
    PyTorchRow(Sigmoid.self, function: "torch.sigmoid"),
    PyTorchRow(Tanh.self, function: "torch.tanh"),
    PyTorchRow(Exponential.self, function: "torch.exp"),
    PyTorchRow(HardSwish.self, function: "F.hardswish"),
    PyTorchRow(LogSigmoid.self, function: "F.logsigmoid"),
    PyTorchRow(Mish.self, function: "F.mish"), PyTorchRow(SELU.self, function: "F.selu"),
    PyTorchRow(Softplus.self, function: "F.softplus"),
    PyTorchRow(Softsign.self, function: "F.softsign"),
    PyTorchRow(Swish.self, function: "F.silu"),
    PyTorchRow(TanhShrink.self, function: "F.tanhshrink"),
  ]
}

extension CatalogOperator {
  /// Whether it cannot be decomposed.
  var isPrimitive: Bool { if case .primitive = decomposition { true } else { false } }
}
