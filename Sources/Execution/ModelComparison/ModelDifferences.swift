public import Verifier

/// What sets two models apart.
public struct ModelDifferences: Sendable {
  /// One thing that differs.
  public struct Item: Sendable {
    /// What differs.
    public enum Kind: String, Sendable {
      /// An operator, or where its data comes from.
      case structure
      /// A setting of an operator.
      case setting
      /// A weight.
      case weight
      /// The number, the type or the name of an input or output.
      case port
      /// Author, license, labels and the like.
      case metadata
      /// What the two make of the same input.
      case output
    }

    /// What differs.
    public var kind: Kind
    /// The layer in the first model, when it is about one.
    public var first: String?
    /// The layer in the second model, when it is about one.
    public var second: String?
    /// What is different, in words.
    public var reason: String
    /// The numbers, when two tensors of one shape were compared.
    public var difference: TensorDifference?
    /// Whether it makes the models different, or is only worth knowing.
    public var counts: Bool

    /// Makes an item.
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

  /// Everything that differs: structure and weights in the order of the computation, then inputs
  /// and outputs, metadata, and results.
  public var items: [Item]
  /// How many operators were found in both.
  public var pairedOperators: Int
  /// How many weights were compared.
  public var comparedWeights: Int
  /// How many numbers these have.
  public var comparedNumbers: Int

  /// Whether nothing differs that counts.
  public var areNone: Bool { !items.contains(where: \.counts) }
}
