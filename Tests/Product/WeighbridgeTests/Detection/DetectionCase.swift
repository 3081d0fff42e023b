import Foundation
import GraphIR
import JSON
import TestSupport
import Testing
import Vision
import Weighbridge

/// The input of a box layer, and darknet's detections for it (`Samples/Detection/record.py`).
struct DetectionCase: CustomTestStringConvertible {
  let testDescription: String
  private var folder: String { Paths.sample("Detection/\(testDescription)") }

  static let all = Files.names(in: Paths.sample("Detection")).filter {
    Files.isFolder(Paths.sample("Detection/\($0)"))
  }.map(DetectionCase.init(testDescription:))

  /// The recording.
  func record() throws -> DetectionRecord {
    try DetectionRecord(contentsOf: "\(folder)/detections.json")
  }

  /// The file of the input array.
  var input: String { "\(folder)/input.npy" }

  /// The network, which consists of the box layer alone.
  func model(_ record: DetectionRecord) throws -> Model {
    var options = ReadOptions()
    options.darknet = DarknetFork(rawValue: record.fork)
    options.randomWeights = 0  // there are no weights
    return try Model(contentsOf: "\(folder)/net.cfg", options: options)
  }

  /// The boxes in the model's outputs, and the detector that filters them.
  func candidates(
    _ record: DetectionRecord
  ) throws -> (boxes: [Candidate], detector: DetectorDescription) {
    let model = try model(record)
    let detector = try #require(model.metadata.detector)
    let shape = try #require(model.inputs[0].type.singleExampleShape)
    let outputs = try model.run(try ArrayFile.read(input)).outputs
    let decoder = BoxDecoder(
      detector, layout: .channelsFirst, inputWidth: shape[3], inputHeight: shape[2])
    let boxes = try decoder.candidates(
      Dictionary(uniqueKeysWithValues: outputs.map { ($0.name, $0.tensor) }),
      above: record.threshold)
    let placement = try record.placement(inputWidth: shape[3], inputHeight: shape[2])
    return (boxes.map { $0.mappedToImage(placement) }, detector)
  }
}

/// A recording of darknet's detections.
struct DetectionRecord {
  let fork: String
  let width, height: Int
  let isLetterboxed: Bool
  let threshold, overlap: Double
  let isAgnostic: Bool
  let before, after: [Detection]

  init(contentsOf path: String) throws {
    let object = try #require(try JSONValue(parsing: Array(try Files.read(path))).object)
    let image = object["picture"]?.object
    fork = try #require(object["fork"]?.string)
    width = try #require(image?["width"]?.integer)
    height = try #require(image?["height"]?.integer)
    isLetterboxed = object["letterbox"]?.bool ?? false
    threshold = try #require(object["threshold"]?.real)
    overlap = try #require(object["overlap"]?.real)
    isAgnostic = object["agnostic"]?.bool ?? false
    before = try Self.detections(object["before"])
    after = try Self.detections(object["after"])
  }

  private static func detections(_ json: JSONValue?) throws -> [Detection] {
    try #require(json?.array).map { entry in
      let object = try #require(entry.object)
      let center = try #require(object["center"]?.array).compactMap(\.real)
      let size = try #require(object["extent"]?.array).compactMap(\.real)
      return Detection(
        classIndex: try #require(object["class"]?.integer), label: nil,
        confidence: try #require(object["confidence"]?.real),
        box: Box(centerX: center[0], centerY: center[1], width: size[0], height: size[1]))
    }
  }

  /// The placement of the image in the input.
  func placement(inputWidth: Int, inputHeight: Int) throws -> ImagePlacement {
    let image = Image(
      width: width, height: height, pixels: [UInt8](repeating: 0, count: width * height * 3))
    let input = ImageInput(
      colorOrder: .rgb, scale: 1, bias: [0, 0, 0], resize: nil, layout: .channelsFirst)
    return try image.tensor(
      for: input, width: inputWidth, height: inputHeight,
      policy: isLetterboxed ? .letterbox : .stretch, resampling: .darknet
    ).placement
  }
}

/// Expects the same detections, at least one, in any order.
///
/// - Parameters:
///   - confidence: The largest difference of confidences.
///   - edges: The largest difference of edges, in sizes of the image (or of the box, when that is
///     larger).
func expectSame(
  _ found: [Detection], _ expected: [Detection], confidence: Double, edges: Double,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(!expected.isEmpty, sourceLocation: sourceLocation)
  #expect(found.count == expected.count, sourceLocation: sourceLocation)
  var unmatched = found
  for detection in expected {
    let match = unmatched.firstIndex {
      $0.classIndex == detection.classIndex
        && abs($0.confidence - detection.confidence) <= confidence
        && $0.box.distance(to: detection.box) <= edges * max(1, $0.box.width, $0.box.height)
    }
    if let match {
      unmatched.remove(at: match)
    } else {
      Issue.record("nothing like \(detection)", sourceLocation: sourceLocation)
    }
  }
}

extension Box {
  /// The largest distance between corresponding edges.
  func distance(to other: Box) -> Double {
    max(
      abs(x - other.x), abs(y - other.y), abs(x + width - other.x - other.width),
      abs(y + height - other.y - other.height))
  }
}
