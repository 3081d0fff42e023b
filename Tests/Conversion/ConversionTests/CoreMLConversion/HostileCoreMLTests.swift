import TestSupport
import Testing
import Weighbridge

/// The files of `Samples/Hostile/coreml` and how they are refused.
enum HostileCoreMLFiles {
  static let all: [HostileFile] = [
    .init("array_rank", .malformed, "the input x has 2 axes, and the network takes 1"),
    .init("bias_count", .malformed, "layer #0 c (convolution): bias: 12 bytes do not hold"),
    .init(
      "cell_limit", .unsupported, "layer #0 m (uniDirectionalLSTM): clips its cell state to"),
    .init("channels_huge", .malformed, "weights: the size of a tensor is negative or too large"),
    .init("classifier_labels", .malformed, "has 1 label, and the network gives 4 probabilities"),
    .init(
      "concat_interleaved", .unsupported, "layer #0 c (concatND): interleaves its inputs"),
    .init("concat_nothing", .malformed, "layer #0 c (concatND): takes no inputs"),
    .init("crop_everything", .malformed, "leaves nothing of an axis of 3"),
    .init("crop_resize", .unsupported, "a layer of a kind that cannot be read:\n  c: cropResize"),
    .init("custom_layer", .unsupported, "#0 magic (Teleport)"),
    .init("cut_off", .malformed, "byte"),
    .init("cycle", .malformed, "layer #0 a (activation): takes y, which no input or earlier"),
    .init("deep_nesting", .limitExceeded, "deeper than the limit"),
    .init("empty", .malformed, "is empty"),
    .init(
      "expand_outside", .malformed, "layer #0 e (expandDims): has the axis 9, expected -6 to 5"),
    .init(
      "extent_huge", .limitExceeded, "the input x has more elements than can be counted in 64 bits"),
    .init("extent_negative", .malformed, "the input x has a size of -3"),
    .init(
      "input_dictionary", .unsupported, "the input x is neither an image nor an array"),
    .init("input_missing", .malformed, "layer #0 relu (activation): takes w, which no input"),
    .init(
      "kernel_zero", .malformed, "layer #0 p (pooling): max_pooling: the attribute window is [0, 0]"
    ),
    .init("layer_empty", .malformed, "layer nothing: has no type"),
    .init("layer_unknown", .unsupported, "field neuralNetwork.layers holds field 1999"),
    .init("length_huge", .malformed, "byte"),
    .init("loop", .unsupported, "a layer of a kind that cannot be read:\n  loop: loop"),
    .init("mean_image", .malformed, "a mean image is for z, which is no input of a known size"),
    .init("metadata_wrong", .malformed, "the metadata detector is not JSON"),
    .init("network_empty", .malformed, "no layer gives the output y"),
    .init("output_missing", .malformed, "no layer gives the output y"),
    .init(
      "output_twice", .malformed,
      "layer #1 again (activation): gives y, which an input or an earlier layer gives"),
    .init("permute", .malformed, "layer #0 p (permute): has the axes [0, 1, 1, 3], expected"),
    .init("pipeline_of_pipelines", .unsupported, "is a pipeline of pipelines"),
    .init(
      "pipeline_without_network", .unsupported, "is a pipeline that does not begin with a network"),
    .init("program", .unsupported, "is an ML Program of version 0, expected version 1"),
    .init("quantized_bits", .malformed, "weights are quantized to 9 bits, expected 1 to 8"),
    .init("quantized_table", .malformed, "a table of 3 numbers, expected 16"),
    .init(
      "rank_low", .malformed,
      "layer #0 b (batchnorm): takes an array of rank 1, and a layer of this kind needs rank 3 or",
      "with the last axes channel, height, width"),
    .init("reshape_axes", .malformed, "has the target shape [2, 12] of rank 2, expected 3"),
    .init("reshape_count", .malformed, "24 elements of float32 [1, 2, 3, 4] do not fit"),
    .init("reshape_inferred", .malformed, "24 is not a multiple of 25"),
    .init("reshape_negative", .malformed, "has the target shape [-2, 2, 6], expected sizes of at"),
    .init("reshape_rank", .malformed, "[24] of rank 1, expected the input's rank 5"),
    .init("reshape_two", .malformed, "[-1, -1, 6], and only one -1 can be inferred"),
    .init(
      "resize_huge", .malformed,
      "layer #0 r (resizeBilinear): the attribute size is [1073741824, 1], and must be at most"),
    .init(
      "reverse_axes", .malformed,
      "layer #0 r (reverse): has 2 flags in reverseDim, expected one for each of its 3"),
    .init("slice_outside", .malformed, "layer #0 s (slice): takes the elements from 7 to 9 of 3"),
    .init(
      "squeeze_outside", .malformed, "layer #0 s (squeeze): has the axis -9, expected -5 to 4"),
    .init("suppression_method", .unsupported, "names no method of non-maximum suppression"),
    .init(
      "suppression_source", .malformed, "no earlier model of the pipeline gives z"),
    .init("suppression_threshold", .malformed, "chooses boxes by a threshold of 1.5"),
    .init("text_invalid", .malformed, "is not UTF-8, or contains a NUL"),
    .init("tree_ensemble", .unsupported, "is an ensemble of decision trees (Core ML tree"),
    .init(
      "upsample_fraction", .malformed,
      "layer #0 u (upsample): enlarges by [1.5, 2.5] in the mode DEFAULT, and only the modes "),
    .init("version_future", .unsupported, "is of version 99 of Core ML's specification"),
    .init("weight_count", .malformed, "weights: 12 bytes do not hold float32 [1, 2, 1, 1]"),
    .init("weight_missing", .malformed, "weights: 0 bytes do not hold float32 [1, 2, 1, 1]"),
    .init("weight_two", .malformed, "weights are stored as floatValue, float16Value"),
    .init("window_output", .malformed, "has the output shape [4611686018427387904, 1]"),
    .init("window_spread", .malformed, "has a window size or step of 4611686018427387904"),
    .init("window_step", .malformed, "has a window size or step of 4611686018427387904"),
    .init("wire_type", .malformed, "byte"),
  ]
}

/// Core ML files that are broken, or of kinds that cannot be read.
@Suite struct HostileCoreMLTests {
  private func path(_ name: String) -> String {
    Paths.sample("Hostile/coreml/\(name).mlmodel")
  }

  @Test("A hostile .mlmodel is refused with its place", arguments: HostileCoreMLFiles.all)
  func refused(_ file: HostileFile) throws {
    let error = try #require(failure { _ = try Model(contentsOf: path(file.name)) })
    #expect(file.explains(error), "\(error)")
  }

  @Test("Four million empty layers are refused before there is room for them")
  func emptyMessages() throws {
    let folder = try TemporaryFolder()
    // Version 1, an empty description, and a network of 8,000,000 bytes.
    var bytes: [UInt8] = [0x08, 1, 0x12, 0, 0xA2, 0x1F, 0x80, 0xA4, 0xE8, 3]
    for _ in 0..<4_000_000 { bytes += [0x0A, 0] }
    try Files.write(bytes, to: folder.file("m.mlmodel"))
    let error = try #require(failure { _ = try Model(contentsOf: folder.file("m.mlmodel")) })
    #expect(error.code == .limitExceeded)
  }

  @Test("Every hostile file is listed here with its error")
  func complete() {
    let files = Files.names(in: Paths.sample("Hostile/coreml")).filter {
      $0.hasSuffix(".mlmodel")
    }
    #expect(HostileCoreMLFiles.all.map { "\($0.name).mlmodel" } == files)
  }
}
