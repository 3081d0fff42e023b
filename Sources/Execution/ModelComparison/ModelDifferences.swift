public import Verifier

/// The differences between two models.
public struct ModelDifferences: Sendable {
  /// One difference.
  public struct Item: Sendable {
    /// The kind of difference.
    public enum Kind: String, Sendable {
      /// An operator, or the source of its data.
      case structure
      /// A setting of an operator.
      case setting
      /// A weight.
      case weight
      /// The number, the type or the name of inputs or outputs.
      case port
      /// Author, license, labels and the like.
      case metadata
      /// The results for the same input.
      case output
    }

    /// The kind of difference.
    public var kind: Kind
    /// The layer in the first model, if the difference concerns one.
    public var first: String?
    /// The layer in the second model, if the difference concerns one.
    public var second: String?
    /// A description of the difference.
    public var reason: String
    /// The numerical difference, when two tensors of the same shape were compared.
    public var difference: TensorDifference?
    /// Whether this makes the models different; otherwise it is only informative.
    public var counts: Bool

    /// Creates an item.
    public init(
      _ kind: Kind, first: String? = nil, second: String? = nil, _ reason: String,
      difference: TensorDifference? = nil, counts: Bool = true
    ) {
      self.kind = kind
      self.first = first
      self.second = second
      self.reason = reason
      self.difference = difference
      self.counts = counts
    }
  }

  /// All differences: structure and weights in the order of the computation, then inputs and
  /// outputs, metadata, and results.
  public var items: [Item]
  /// The number of operators found in both models.
  public var pairedOperators: Int
  /// The number of weights that were compared.
  public var comparedWeights: Int
  /// The total number of elements in these weights.
  public var comparedNumbers: Int

  /// Whether there is no difference that counts.
  public var isEmpty: Bool { !items.contains(where: \.counts) }
}
