import GraphIR
import TestSupport
import Testing
import Vision
import Weighbridge

/// Heads without activations in the graph, as in most Keras models.
@Suite struct RawHeadTests {
  /// The boxes of a case's input, without darknet's activations.
  private func candidates(
    _ name: String, order: DetectorDescription.Order,
    _ change: (inout DetectorDescription) -> Void = { _ in }
  ) throws -> (found: [Detection], record: DetectionRecord) {
    let sample = DetectionCase(testDescription: name)
    let record = try sample.record()
    var detector = try sample.candidates(record).detector
    detector.activated = []
    detector.grid?.order = order
    change(&detector)
    var input = try ArrayFile.read(Paths.sample("Detection/\(name)/input.npy"))[0].tensor
    let (height, width) = (input.shape[2], input.shape[3])
    if order == .channelsLast { input = input.permuted([0, 2, 3, 1]).contiguous() }
    let boxes = try BoxDecoder(
      detector, layout: .channelsLast, inputWidth: width, inputHeight: height
    ).candidates([detector.outputs[0]: input], above: record.threshold)
    let placement = try record.placement(inputWidth: width, inputHeight: height)
    let found = boxes.map { $0.mappedToImage(placement) }.flatMap { box in
      box.scores.map {
        Detection(classIndex: $0.classIndex, label: nil, confidence: $0.confidence, box: box.box)
      }
    }
    return (found, record)
  }

  @Test(
    "Activated here or in darknet, the boxes are the same",
    arguments: ["yolo", "region_softmax", "region_background", "gaussian_center", "region_tree"],
    [DetectorDescription.Order.channelsFirst, .channelsLast])
  func raw(name: String, order: DetectorDescription.Order) throws {
    let (found, record) = try candidates(name, order: order)
    expectSame(found, record.before, confidence: 1e-6, edges: 1e-5)
  }

  @Test("A head's scale stretches box centers about the cells' centers")
  func scale() throws {
    let plain = try candidates("region_softmax", order: .channelsFirst).found
    let stretched = try candidates("region_softmax", order: .channelsFirst) {
      $0.grid?.heads[0].scaleXY = 2
    }.found
    #expect(!plain.isEmpty && plain.count == stretched.count)
    for (first, second) in zip(plain, stretched) {
      // The grid has 4 columns; the image fills it.
      let position = first.box.center.x * 4
      let middle = position.rounded(.down) + 0.5
      #expect(abs(second.box.center.x * 4 - (2 * (position - middle) + middle)) < 1e-9)
    }
  }
}
