// Generated from Schemas/options.json by Scripts/options. Do not edit.

import ArgumentParser
import Weighbridge

/// The options of all formats for export.
struct TargetOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The order of the axes of images that a model takes and gives: source, the default in ONNX, \
      or nchw, the default in PyTorch.
      """, valueName: "order"))
  var layout: EnumArgument<ExportLayout>?

  @Option(
    help: ArgumentHelp(
      """
      The number type of stored weights of float32: float32, the default, or float16. An ONNX \
      model and a PyTorch module compute in float32 all the same. A Core ML package computes in \
      it, by default in float16.
      """, valueName: "type"))
  var precision: EnumArgument<ExportPrecision>?

  @Option(
    help: ArgumentHelp(
      """
      What a Core ML model is: network, classifier or regressor. By default a classifier where \
      labels and a vector of probabilities fit each other, else a network.
      """, valueName: "kind"))
  var kind: EnumArgument<CoreMLKind>?

  @Option(
    help: ArgumentHelp(
      """
      The sizes that images of a Core ML model may have, width before height, the usual one \
      first, where the network leaves them open: 416x416,608x320. By default any size.
      """, valueName: "WxH,..."))
  var sizes: SizesArgument?

  @Option(
    help: ArgumentHelp(
      """
      The version of ONNX's operators, 13 to 23; by default 17, which every current runtime \
      supports.
      """, valueName: "number"))
  var opset: Int?

  @Option(
    help: ArgumentHelp(
      """
      The specification version of a Core ML model, 1 to 5; by default the lowest that has all \
      its layers.
      """, valueName: "number"))
  var specVersion: Int?

  @Flag(
    help: """
      Put the weights of an ONNX model into a file beside it, with .data added to its name; more \
      than 2 GB of weights always are.
      """)
  var externalData = false

  @Flag(
    help: """
      Make batch normalizations part of the weights before them; by default they stay, and all \
      weights are those of the source.
      """)
  var foldBatchNorm = false

  @Flag(
    name: .customLong("with-nms"),
    help: """
      Whether a detector's file decodes the boxes and filters them (non-maximum suppression) \
      instead of giving its heads as they are; by default as is usual in the format: boxes in \
      Core ML, else the heads.
      """)
  var withNMS = false

  @Flag(name: .customLong("without-nms"), help: "The opposite of --with-nms.")
  var withoutNMS = false

  @Flag(
    help: """
      Keep weights in .safetensors and .npz files in the encoding in which they are stored \
      (integers, tables, 16 bits), with scales and tables beside them: NAME/quantized, \
      NAME/scale, NAME/codes, NAME/table.
      """)
  var keepIntegers = false

  @Flag(
    help: """
      Let the custom operator TFLite_Detection_PostProcess filter the boxes of a TFLite model \
      (--with-nms), as Google's own detectors do, instead of built-in operators.
      """)
  var detectionPostprocess = false

  @Option(
    help: ArgumentHelp(
      """
      How a TensorFlow.js model stores its weights: in float16, or in uint8 with a scale and a \
      minimum for each; by default in float32.
      """, valueName: "type"))
  var quantization: EnumArgument<TensorFlowJSQuantization>?

  @Option(
    help: ArgumentHelp(
      """
      The oldest system that can run a Core ML package: ios15, ios16 (the default), ios17 or \
      ios18, or macos12 to macos15 of the same years.
      """, valueName: "system"))
  var deployment: EnumArgument<CoreMLDeployment>?

  @Option(
    help: ArgumentHelp(
      """
      The number of examples that a model takes at once, for tools that must know every size \
      before they run it; by default it stays open.
      """, valueName: "number"))
  var batchSize: Int?

  func validate() throws {
    guard !withNMS || !withoutNMS else {
      throw ValidationError("--with-nms and --without-nms exclude each other")
    }
  }

  /// The options that are given, and the defaults of the others.
  var exportOptions: ExportOptions {
    var options = ExportOptions()
    options.layout = layout?.value
    options.precision = precision?.value
    options.kind = kind?.value
    options.sizes = sizes?.sizes ?? []
    options.opset = opset
    options.specVersion = specVersion
    options.externalData = externalData
    options.foldBatchNorm = foldBatchNorm
    options.withNMS = withNMS || withoutNMS ? withNMS : nil
    options.keepIntegers = keepIntegers
    options.detectionPostprocess = detectionPostprocess
    options.quantization = quantization?.value
    options.deployment = deployment?.value
    options.batchSize = batchSize
    return options
  }
}
