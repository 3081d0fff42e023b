import Bytes
import GraphIR
import LayerCatalog
import Testing

@Suite struct NonMaxSuppressionTests {
  /// The confidences of two boxes that overlap by 9/11, of one that touches neither, and of one
  /// with a low confidence. The best classes are 0, 1, 0 and 1.
  private let confidence: [Double] = [0.6, 0.1, 0.2, 0.9, 0.7, 0.2, 0.05, 0.1]
  private let coordinates: [Double] = [
    0.5, 0.5, 0.2, 0.2, 0.51, 0.5, 0.18, 0.2, 0.1, 0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1,
  ]

  /// Runs the operator and returns the confidences of the remaining boxes, row by row.
  private func remaining(_ operation: NonMaxSuppression) throws -> [Double] {
    let outputs = try operation.evaluate(
      [
        Tensor(.float32, shape: [4, 2], confidence),
        Tensor(.float32, shape: [4, 4], coordinates),
      ], workers: Workers(count: 1))
    #expect(outputs.map(\.shape) == [[4, 2], [4, 4]])
    let confidences = outputs[0].doubles.map { ($0 * 100).rounded() / 100 }
    let count = confidences.lastIndex { $0 != 0 }.map { $0 / 2 + 1 } ?? 0
    #expect(outputs[1].doubles[(count * 4)...].allSatisfy { $0 == 0 })
    return Array(confidences[..<(count * 2)])
  }

  @Test("The most confident box removes those that overlap it, and faint ones go")
  func acrossClasses() throws {
    let operation = NonMaxSuppression(
      overlapThreshold: 0.5, confidenceThreshold: 0.3, scope: .all)
    #expect(try remaining(operation) == [0.2, 0.9, 0.7, 0.2])
  }

  @Test("With suppression per class, boxes of other classes stay")
  func perClass() throws {
    let operation = NonMaxSuppression(
      overlapThreshold: 0.5, confidenceThreshold: 0.05, scope: .sameBestClass)
    #expect(try remaining(operation) == [0.2, 0.9, 0.7, 0.2, 0.6, 0.1, 0.05, 0.1])
  }

  @Test("Each class by itself: a box keeps the classes in which nothing removes it")
  func eachClass() throws {
    // Boxes 2, 0 and 1 remain in class 0, and boxes 1, 2 and 3 in class 1.
    let operation = NonMaxSuppression(
      overlapThreshold: 0.5, confidenceThreshold: 0.07, scope: .eachClass)
    #expect(try remaining(operation) == [0, 0.9, 0.7, 0.2, 0.6, 0, 0, 0.1])
  }

  @Test("An overlap up to the threshold removes nothing")
  func threshold() throws {
    let operation = NonMaxSuppression(
      overlapThreshold: 0.95, confidenceThreshold: 0.3, scope: .all)
    #expect(try remaining(operation).count == 6)
  }
}
