import ConversionCore
import DarknetFormat
import GraphIR
import TestSupport
import Testing
import Weighbridge

/// The options that are made of the table `Schemas/options.json`.
@Suite struct OptionTests {
  @Test("An option of a target is refused by every other")
  func inapplicable() throws {
    let given: [(KeyPath<ExportFormat, Bool>, (inout ExportOptions) -> Void)] = [
      (\.takesOpset, { $0.opset = 17 }),
      (\.takesSizes, { $0.sizes = [.init(width: 8, height: 8)] }),
      (\.takesFork, { $0.darknet = .pjreddie }), (\.takesIntegers, { $0.keepIntegers = true }),
      (\.takesNMS, { $0.withNMS = true }), (\.takesPrecision, { $0.precision = .float16 }),
      (\.takesDeployment, { $0.deployment = .ios17 }),
      (\.takesLayout, { $0.layout = .source }),
      (\.takesPostprocessing, { $0.detectionPostprocess = true }),
    ]
    for (takes, change) in given {
      var options = ExportOptions()
      change(&options)
      for format in ExportFormat.allCases {
        let error = failure { _ = try ExportTarget(format, options: options) }
        #expect((error == nil) == format[keyPath: takes], "\(format) \(error as Any)")
        #expect(error.map { $0.code == .mismatch } ?? true)
      }
    }
  }

  @Test("The options of a target are those that were given")
  func payloads() throws {
    var options = ExportOptions()
    (options.opset, options.precision, options.withNMS) = (15, .float16, false)
    guard case .onnx(let onnx) = try ExportTarget(.onnx, options: options) else {
      Issue.record("another target")
      return
    }
    #expect(onnx.opset == 15 && onnx.precision == .float16 && onnx.withNMS == false)
    #expect(onnx.layout == .source && !onnx.externalData && !onnx.foldBatchNorm)
  }

  @Test("The names of version 0.2 are those of the same options")
  func formerNames() throws {
    try (FormerNames.self as any Use.Type).use()
  }
}

extension ExportFormat {
  fileprivate var takesOpset: Bool { self == .onnx }
  fileprivate var takesDeployment: Bool { self == .mlpackage }
  fileprivate var takesSizes: Bool { self == .coreml || self == .mlpackage }
  fileprivate var takesFork: Bool { self == .darknet }
  fileprivate var takesIntegers: Bool { self == .safetensors || self == .npz }
  fileprivate var takesNMS: Bool { [.onnx, .coreml, .mlpackage, .ncnn, .tflite].contains(self) }
  fileprivate var takesPostprocessing: Bool { self == .tflite }
  fileprivate var takesPrecision: Bool { takesNMS || self == .pyTorch }
  fileprivate var takesLayout: Bool { self == .onnx || self == .pyTorch }
}

/// A use of what is deprecated, called through a protocol: a direct call would be a warning.
private protocol Use {
  static func use() throws
}

private enum FormerNames: Use {
  @available(*, deprecated)
  static func use() throws {
    var read = ReadOptions()
    (read.darknetFork, read.darknetData, read.randomSeed) = (.pjreddie, "a.data", 7)
    (read.startsAtTokens, read.keepsUnknown, read.isStrict) = (true, true, true)
    #expect(read.darknet == .pjreddie && read.data == "a.data" && read.randomWeights == 7)
    #expect(read.fromTokenIDs && read.keepUnknown && read.strict)
    var export = ExportOptions()
    (export.darknetFork, export.coreMLKind, export.specificationVersion) = (.alexeyab, .network, 3)
    (export.storesExternalWeights, export.foldsBatchNormalization) = (true, true)
    (export.suppressesBoxes, export.keepsIntegers) = (true, true)
    export.imageSizes = [ImageSize(width: 3, height: 4)]
    #expect(export.darknet == .alexeyab && export.kind == .network && export.specVersion == 3)
    #expect(export.externalData && export.foldBatchNorm && export.keepIntegers)
    #expect(export.withNMS == true && export.sizes == [ImageSize(width: 3, height: 4)])
    var verify = VerifyOptions()
    verify.checksLayers = true
    verify.source = (path: "a.h5", options: read)
    #expect(verify.layers && verify.against == "a.h5" && verify.againstOptions.strict)
    var detect = DetectOptions()
    (detect.threshold, detect.overlap) = (0.5, 0.25)
    #expect(detect.confidenceThreshold == 0.5 && detect.iouThreshold == 0.25)
    var compact = CompactOptions()
    (compact.foldsBatchNormalization, compact.storesProof) = (true, true)
    #expect(compact.foldBatchNorm && compact.proof == true)
    var comparison = ComparisonOptions()
    comparison.usesNames = true
    #expect(comparison.names)
    detectors()
    try calls()
  }

  @available(*, deprecated)
  private static func detectors() {
    var row = DetectorDescription(
      kind: .detection, anchors: [],
      heads: [.init(output: "y", mask: [], stride: nil, scaleXY: 1)], boxEncoding: .squareRoot,
      hasObjectness: true, classCount: 2, side: 7, boxesPerCell: 3, overlapThreshold: 0.5)
    let new = DetectorDescription.Row(
      outputs: ["y"], side: 7, boxesPerCell: 3, squaresSizes: true)
    #expect(row == DetectorDescription(.detection(new), classCount: 2, iouThreshold: 0.5))
    (row.side, row.boxesPerCell, row.boxEncoding) = (5, 2, .fraction)
    #expect(row.family == .detection(.init(outputs: ["y"], side: 5, boxesPerCell: 2)))
    #expect(row.side == 5 && row.boxesPerCell == 2 && row.boxEncoding == .fraction)
    #expect(row.overlapThreshold == 0.5 && row.heads.map(\.output) == ["y"] && row.anchors == [])
    let anchor = DetectorDescription.Anchor(width: 1, height: 2)
    var grid = DetectorDescription(.yolo(.init(anchors: [anchor], heads: [])), classCount: 1)
    grid.heads = [.init(output: "z", mask: [0], stride: 8, scaleXY: 1)]
    (grid.order, grid.hasBackground, grid.hasObjectness) = (.cellsFirst, true, false)
    (grid.overlapThreshold, grid.boxEncoding) = (0.25, .squared)
    grid.classTree = .init(parents: [nil], threshold: 0.5, choice: .walk)
    #expect(grid.anchors == [anchor] && grid.outputs == ["z"] && grid.iouThreshold == 0.25)
    #expect(grid.grid?.order == .cellsFirst && grid.grid?.squaresSizes == true)
    #expect(grid.grid?.hasBackground == true && grid.grid?.hasObjectness == false)
    #expect(grid.grid?.classTree?.choice == .walk && grid.order == .cellsFirst)
    #expect(Detector.defaultThreshold == 0.25 && Detector.defaultOverlap == 0.45)
    #expect(DetectorDescription.defaultOverlapThreshold == 0.45)
    var edit = DescriptionEdit.DetectorEdit(kind: .yolo, anchors: [1, 2])
    edit.overlapThreshold = 0.4
    #expect(edit.iouThreshold == 0.4 && edit.overlapThreshold == 0.4)
  }

  @available(*, deprecated)
  private static func calls() throws {
    let folder = try TemporaryFolder()
    let model = try Model(contentsOf: Paths.sample("Models/shape-detector/shape-detector.h5"))
    try model.write(to: folder.file("a.wbm"), replacing: false)
    let error = failure { _ = try model.write(to: folder.file("a.wbm"), replacing: false) }
    #expect(error?.code == .outputFailed)
    let cancellation = Cancellation()
    let report = try model.export(to: folder.file("a.onnx"), cancellation: cancellation)
    #expect(report.losses == report.notes && model.description == model.metadata)
    cancellation.cancel()
    let cancelled = failure {
      _ = try model.export(to: folder.file("b.onnx"), as: .onnx, cancellation: cancellation)
    }
    #expect(cancelled?.code == .cancelled)
    #expect(folder.names == ["a.onnx", "a.wbm"])
  }
}
