import Bytes
import DetectorRecord
import ProtobufWire

@testable import WBMFormat

/// Headers that tests start from.
enum SampleHeaders {
  /// One constant, one node: the smallest model with a weight.
  static var tiny: WBMHeader {
    WBMHeader(
      graph: WBMGraph(
        values: [
          WBMValue(name: "x", elementType: .float32, dimensions: [.fixed(3)]),
          WBMValue(name: "w", elementType: .float32, dimensions: [.fixed(3)], tensor: 0),
          WBMValue(name: "y", elementType: .float32, dimensions: [.fixed(3)]),
        ],
        nodes: [WBMNode(kind: "add", version: 1, name: "n", inputs: [0, 1], outputs: [2])],
        inputs: [WBMPort(name: "x", value: 0)], outputs: [WBMPort(name: "y", value: 2)]),
      tensors: [WBMTensor(name: "w", elementType: .float32, shape: [3])],
      provenance: WBMProvenance(writer: "test"), schema: [])
  }

  /// Every record and every kind of value at least once.
  static var full: WBMHeader {
    WBMHeader(
      graph: graph,
      tensors: [
        WBMTensor(name: "kernel", elementType: .float32, shape: [2, 3]),
        WBMTensor(name: "nothing", elementType: .int64, shape: [0, 4]),
        WBMTensor(name: "inner", elementType: .bool, shape: []),
        WBMTensor(name: "reference in", elementType: .float32, shape: [2, 5, 0, 3]),
        WBMTensor(name: "reference out", elementType: .float64, shape: []),
      ],
      description: description, provenance: provenance,
      references: [
        WBMReferenceSet(
          by: "keras 2.2.4", inputs: [WBMNamedTensor(name: "picture", tensor: 3)],
          outputs: [WBMNamedTensor(name: "boxes", tensor: 4)],
          layerOutputs: [WBMNamedTensor(name: "outer/dense:1", tensor: 4)],
          tolerance: WBMTolerance(absolute: 1e-5, relative: 0, source: .author))
      ])
  }

  private static var graph: WBMGraph {
    let body = WBMGraph(
      values: [
        WBMValue(name: "in", elementType: .bool, dimensions: []),
        WBMValue(name: "flag", elementType: .bool, dimensions: [], tensor: 2),
        WBMValue(name: "both", elementType: .bool, dimensions: []),
      ],
      nodes: [WBMNode(kind: "and", version: 1, name: "a", inputs: [0, 1], outputs: [2])],
      inputs: [WBMPort(name: "in", value: 0)], outputs: [WBMPort(name: "out", value: 2)])
    return WBMGraph(
      values: [
        WBMValue(
          name: "picture", elementType: .float32,
          dimensions: [.symbol("batch"), .unknown, .fixed(0), .fixed(3)]),
        WBMValue(
          name: "w", elementType: .float32, dimensions: [.fixed(2), .fixed(3)], tensor: 0),
        WBMValue(
          name: "e", elementType: .int64, dimensions: [.fixed(0), .fixed(4)], tensor: 1),
        WBMValue(name: "boxes", elementType: .float16, dimensions: []),
      ],
      nodes: [
        WBMNode(
          kind: "loop", version: 7, name: "l", inputs: [0, 1, 2], outputs: [3],
          attributes: attributes, subgraphs: [body],
          scope: WBMScope(layerPath: "outer/inner", className: "LSTM", call: 2, role: "body"))
      ],
      inputs: [WBMPort(name: "picture", value: 0)],
      outputs: [WBMPort(name: "boxes", value: 3), WBMPort(name: "again", value: 3)])
  }

  private static let attributes = [
    WBMAttribute(name: "zero", value: .integer(0)),
    WBMAttribute(name: "least", value: .integer(.min)),
    WBMAttribute(name: "minus zero", value: .real(-0.0)),
    WBMAttribute(name: "infinite", value: .real(-.infinity)),
    WBMAttribute(name: "no", value: .boolean(false)),
    WBMAttribute(name: "empty", value: .string("")),
    WBMAttribute(name: "string", value: .string("Grüße, 世界")),
    WBMAttribute(name: "no integers", value: .integers([])),
    WBMAttribute(name: "integers", value: .integers([0, -1, .max])),
    WBMAttribute(name: "reals", value: .reals([0, -0.0, .pi])),
    WBMAttribute(name: "strings", value: .strings(["", "same"])),
  ].sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }

  private static var description: WBMDescription {
    var detector = DetectorDescription.Fields(kind: .yolo, anchors: [10, 13.5, 0, 1])
    detector.heads = [
      .init(output: "boxes", mask: [1, 0], stride: 32, scaleXY: 1.05),
      .init(output: "again", mask: [], stride: nil, scaleXY: 0, boxPoint: .leftTop),
    ]
    (detector.boxEncoding, detector.hasObjectness) = (.exponential, true)
    (detector.hasBackground, detector.classCount) = (false, 2)
    (detector.confidenceThreshold, detector.iouThreshold) = (0, 0.45)
    (detector.suppression, detector.distanceExponent) = (.greedy, 0.6)
    (detector.activated, detector.order) = ([.centers, .classes], .cellsFirst)
    detector.classTree = .init(parents: [nil, 0], threshold: 0.5, choice: .walk)
    return WBMDescription(
      name: "model", author: "",
      license: WBMLicense(text: "MIT License", spdx: "MIT", note: "given by the user"),
      version: "1.0-β", shortDescription: "Finds things.",
      inputs: [
        WBMFeature(
          name: "picture", description: "a photograph",
          image: WBMImage(
            colorOrder: .bgr, scale: 1 / 255, bias: [0, -0.5, 1], resize: .letterbox,
            layout: .channelsLast))
      ],
      outputs: [WBMFeature(name: "boxes"), WBMFeature(name: "again", description: "")],
      classLabels: ["cat", ""], detector: WBMDetector(detector),
      userDefined: [WBMKeyValue(key: "a", value: ""), WBMKeyValue(key: "b", value: "1")])
  }

  private static var provenance: WBMProvenance {
    WBMProvenance(
      sources: [
        WBMSource(
          name: "old.h5", role: "weights", sha256: Array(0..<32), byteCount: 1 << 40)
      ],
      framework: "keras", frameworkVersion: "2.2.4", backend: "tensorflow",
      writer: "weighbridge 1.0.0", options: [WBMKeyValue(key: "strict", value: "true")],
      decisions: [WBMDecision(layer: "", text: "none"), WBMDecision(layer: "bn", text: "folded")])
  }
}
