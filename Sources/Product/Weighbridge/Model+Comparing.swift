public import Bytes
public import GraphIR
public import ModelComparison

/// Options for comparing two models.
public struct ComparisonOptions: Sendable {
  /// Whether layers are paired by name, and differing names of inputs and outputs count. Otherwise
  /// layers are paired by structure.
  public var names = false
  /// Arrays for the inputs. When given, both models are run and their outputs compared.
  public var inputs: [NamedTensor]?
  /// The tolerance for outputs; `nil` for the standard one of the coarsest element type on the way
  /// to an output in either model.
  public var tolerance: Tolerance?
  /// How the models are run.
  public var run = RunOptions()

  /// Compares structure, weights and metadata.
  public init() {}

  /// The former name of ``names``.
  @available(*, deprecated, renamed: "names")
  public var usesNames: Bool {
    get { names }
    set { names = newValue }
  }
}

extension Model {
  /// Returns the differences between this model and another one.
  ///
  /// Operators are paired by structure, whatever their names and the order of the image axes;
  /// weights are compared element by element in the catalog's axis order. Metadata count when
  /// both files' formats can store them.
  ///
  /// - Throws: ``WeighbridgeError/Code/mismatch`` when given arrays do not fit one of the models;
  ///   ``WeighbridgeError/Code/cancelled``.
  public func differences(
    from other: Model, _ options: ComparisonOptions = ComparisonOptions()
  ) throws(WeighbridgeError) -> ModelDifferences {
    var differences = GraphComparison.differences(
      content.graph, other.content.graph, usesNames: options.names)
    differences.items += DescriptionComparison.differences(
      metadata, other.metadata, usesNames: options.names,
      counts: origin.holdsMetadata && other.origin.holdsMetadata)
    if let inputs = options.inputs {
      let models = [self, other]
      let outputs = try run(inputs, options: options.run).outputs
      let others = try other.run(inputs, options: options.run).outputs
      for (position, (output, other)) in zip(outputs, others).enumerated() {
        let precision = models.compactMap { $0.precision(ofOutput: position) }
        let standard = precision.map(Tolerance.standard).max { $0.absolute < $1.absolute }
        differences.items += Self.difference(output, other, options.tolerance ?? standard)
      }
    }
    return differences
  }

  /// Returns the coarsest element type on the way to an output.
  private func precision(ofOutput position: Int) -> ElementType? {
    content.graph.precisions[content.graph.outputs[position].value.index]
  }

  private static func difference(
    _ output: NamedTensor, _ other: NamedTensor, _ tolerance: Tolerance?
  ) -> [ModelDifferences.Item] {
    guard output.tensor.shape == other.tensor.shape else {
      return [
        ModelDifferences.Item(
          .output, "the output \(output.name) is \(output.tensor.type) and \(other.tensor.type)")
      ]
    }
    let difference = TensorDifference(actual: output.tensor, expected: other.tensor)
    let tolerance = tolerance ?? .standard(for: output.tensor.elementType)
    let isSame = difference.isWithin(tolerance)
    return [
      ModelDifferences.Item(
        .output,
        "the output \(output.name) \(isSame ? "is the same within the tolerance" : "differs")",
        difference: difference, counts: !isSame)
    ]
  }
}
