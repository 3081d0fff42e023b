package import Bytes
package import GraphIR

/// The index of each number in a vocabulary.
///
/// - input: any shape, numbers of any type, truncated to integers
/// - output: the same shape, int64: `first_index` plus the position of the number in the
///   vocabulary; other numbers get one of the `num_oov_indices` indices before `first_index`
///
/// A number outside of the vocabulary is an error when the model runs if there are no such indices.
package struct IndexLookup: ExactOperator, PrimitiveOperator {
  /// The vocabulary, without duplicates.
  package let vocabulary: [Int]
  /// The index of the first number in the vocabulary.
  package let firstIndex: Int
  /// The number of indices before `firstIndex` that are for numbers outside of the vocabulary.
  package let oovCount: Int
  /// The indices of special numbers, which take precedence over the vocabulary.
  package let exceptions: [Int: Int]

  package static let kind = "index_lookup"
  package static let version = 1

  package static let declaration = OperatorDeclaration<Self>(
    """
    y = exception_indices[i] if x = exceptions[i]
    y = first_index + i if x = vocabulary[i]
    y = first_index - num_oov_indices + (x mod num_oov_indices, never negative) otherwise;
      an error when the model runs if num_oov_indices = 0
    """,
    inputs: [.data("input", .any)],
    outputs: [.of(.int64)],
    attributes: AttributeSchema(
      { (vocabulary, firstIndex, oovCount, numbers, indices) in
        Self(
          vocabulary: vocabulary, firstIndex: firstIndex, oovCount: oovCount,
          exceptions: Dictionary(uniqueKeysWithValues: zip(numbers, indices)))
      },
      .integers(
        "vocabulary", \.vocabulary,
        "The numbers that have an index, in the order of their indices.", .unique),
      .integer(
        "first_index", \.firstIndex, "The index of the first number of the vocabulary.",
        .atLeast(0), .sizeLimit),
      .integer(
        "num_oov_indices", \.oovCount,
        "The number of indices before `first_index` that are used for other numbers.", .atLeast(0),
        .sizeLimit,
        .atMostThat(of: "first_index")),
      .integers(
        "exceptions", { @Sendable in $0.exceptions.keys.sorted() },
        "Numbers with an explicit index, which takes precedence over the vocabulary.",
        .strictlyIncreasing),
      .integers(
        "exception_indices", { @Sendable in $0.exceptions.sorted { $0.key < $1.key }.map(\.value) },
        "The indices of the exceptions.", .countOf("exceptions"))),
    concepts: [.indices])

  /// Creates the operator.
  package init(
    vocabulary: [Int], firstIndex: Int, oovCount: Int, exceptions: [Int: Int]
  ) {
    self.vocabulary = vocabulary
    self.firstIndex = firstIndex
    self.oovCount = oovCount
    self.exceptions = exceptions
  }
}

extension IndexLookup {
  package func outputTypes(of inputs: [TensorType]) throws(ShapeError) -> [TensorType] {
    [TensorType(.int64, inputs[0].shape)]
  }

  package func evaluate(
    _ inputs: [Tensor], workers: Workers
  ) throws(WeighbridgeError) -> [Tensor] {
    var indexOfNumber = Dictionary(
      uniqueKeysWithValues: vocabulary.enumerated().map { ($1, firstIndex + $0) })
    for (number, index) in exceptions { indexOfNumber[number] = index }
    var indices: [Double] = []
    for number in try inputs[0].truncatedIntegers() {
      if let index = indexOfNumber[number] {
        indices.append(Double(index))
      } else if oovCount > 0 {
        let remainder = number % oovCount
        let oovIndex = remainder < 0 ? remainder + oovCount : remainder
        indices.append(Double(firstIndex - oovCount + oovIndex))
      } else {
        throw .mismatch("\(number) is not in the vocabulary")
      }
    }
    return [Tensor(.int64, shape: inputs[0].shape, indices)]
  }

  package func permutingAxes(_ axes: [Int]) -> IndexLookup? { self }
}
