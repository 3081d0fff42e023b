import LayerCatalog

extension OperatorExample {
  /// Activations, both near 0 and far from it, where they saturate.
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
    Binarization(),
    CELU(alpha: 0.7), CELU(alpha: -0.5),
    Clip(minimum: -0.5, maximum: 1.5),
    ELU(alpha: 0.7),
    Exponential(),
    GELU(isApproximate: false),
    GELU(isApproximate: true),
    HardMish(),
    HardShrink(threshold: 0.4),
    HardSigmoid(slope: 0.2, offset: 0.5),
    HardSwish(),
    Identity(),
    Identity(noise: TrainingNoise(.dropout, rate: 0.25, sharedAxes: [1])),
    LeakyReLU(slope: 0.1),
    LiSHT(),
    LogSigmoid(),
    Mish(),
    PiecewiseLinear(knots: [-1, 0.5, 2], slopes: [0.3, 0, -1, 0.1], value: 0.7),
    ReLU(slope: 0, threshold: 0, maximum: nil),
    ReLU(slope: 0.25, threshold: 0.5, maximum: 2),
    SELU(),
    Sigmoid(),
    SoftShrink(threshold: 0.4),
    Softplus(),
    Softsign(),
    SparsePlus(),
    Squareplus(smoothness: 3),
    Stair(),
    Swish(),
    Tanh(),
    TanhShrink(),
    Threshold(threshold: 0.3, replacement: -1.5),
  ]

  private static let alongAxes: [OperatorExample] = [
    OperatorExample(Softmax(axes: [3]), shapes: [[2, 3, 4, 5]]),
    OperatorExample(Softmax(axes: [1, 3]), shapes: [[2, 3, 4, 5]]),
    OperatorExample(Softmax(axes: [1]), shapes: [[2, 6]], in: -900...900),
    OperatorExample(GLU(axis: 2), shapes: [[2, 3, 4, 5]]),
    OperatorExample(GLU(axis: 1), shapes: [[3, 2]], in: -60...60),
    OperatorExample(GroupedSoftmax(axis: 1, sizes: [3, 1, 2]), shapes: [[2, 6, 4]]),
    OperatorExample(GroupedSoftmax(axis: 2, sizes: [2, 3]), shapes: [[2, 3, 5]], in: -900...900),
    OperatorExample(LogSoftmax(axes: [1]), shapes: [[2, 3, 4]]),
    OperatorExample(LogSoftmax(axes: [1]), shapes: [[2, 6]], in: -900...900),
    OperatorExample(Sparsemax(axes: [1]), shapes: [[2, 3, 4]]),
    OperatorExample(Sparsemax(axes: [1, 3]), shapes: [[2, 3, 4, 5]], in: -60...60),
  ]
}
