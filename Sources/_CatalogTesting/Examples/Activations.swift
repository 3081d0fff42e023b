import LayerCatalog

extension OperatorExample {
  /// The activations: around 0, and so far from it that the functions saturate.
  static let activations: [OperatorExample] =
    elementwise.flatMap {
      [
        OperatorExample($0, shapes: [[2, 3, 4, 5]], in: -3...3),
        OperatorExample($0, shapes: [[3, 7]], in: -60...60),
      ]
    } + alongAxes + [
      OperatorExample(PReLU(), shapes: [[2, 3, 4, 5], [3, 4, 5]]),
      OperatorExample(PReLU(), shapes: [[2, 3, 4, 5], [1, 1, 5]]),
      OperatorExample(PReLU(), shapes: [[2, 6], [6]]),
    ]

  private static let elementwise: [any CatalogOperator] = [
    ELU(alpha: 0.7),
    Exponential(),
    GELU(isApproximate: false),
    GELU(isApproximate: true),
    HardSigmoid(slope: 0.2, offset: 0.5),
    Identity(),
    LeakyReLU(slope: 0.1),
    Mish(),
    ReLU(slope: 0, threshold: 0, maximum: nil),
    ReLU(slope: 0.25, threshold: 0.5, maximum: 2),
    SELU(),
    Sigmoid(),
    Softplus(),
    Softsign(),
    Swish(),
    Tanh(),
  ]

  private static let alongAxes: [OperatorExample] = [
    OperatorExample(Softmax(axes: [3]), shapes: [[2, 3, 4, 5]]),
    OperatorExample(Softmax(axes: [1, 3]), shapes: [[2, 3, 4, 5]]),
    OperatorExample(Softmax(axes: [1]), shapes: [[2, 6]], in: -900...900),
    OperatorExample(LogSoftmax(axes: [1]), shapes: [[2, 3, 4]]),
    OperatorExample(LogSoftmax(axes: [1]), shapes: [[2, 6]], in: -900...900),
  ]
}
