import FormatRegistry
import TestSupport
import Testing
import Weighbridge

/// TorchScript archives and programs of torch.export (`Samples/PyTorch`): what is in them.
@Suite struct PyTorchProgramTests {
  /// The tensors of the network, in any order.
  private static let network: Set<String> = [
    "models.0.conv.weight float32 [4, 3, 3, 3]", "models.0.bn.weight float32 [4]",
    "models.0.bn.bias float32 [4]", "models.0.bn.running_mean float32 [4]",
    "models.0.bn.running_var float32 [4]", "models.0.bn.num_batches_tracked int64 []",
    "models.2.conv.weight float32 [5, 4, 1, 1]", "models.2.conv.bias float32 [5]",
  ]
  private static let part: Set<String> = [
    "conv.weight float32 [5, 4, 1, 1]", "conv.bias float32 [5]",
  ]

  @Test(
    "A program's tensors and operators are listed, and the way by ONNX is shown",
    arguments: [
      ("traced_1.0.pt", "TorchScript", network, ["_convolution (2)", "batch_norm (1)"]),
      ("traced_1.6.pt", "TorchScript", network, ["_convolution (2)", "leaky_relu (1)"]),
      ("traced_2.pt", "TorchScript", network, ["_convolution (2)", "max_pool2d (1)"]),
      ("scripted_2.pt", "TorchScript", part, ["conv2d (1)"]),
      (
        "exported_2.pt2", "torch.export", network,
        ["aten.conv2d.default (2)", "aten.leaky_relu.default (1)"]
      ),
    ])
  func listed(name: String, form: String, tensors: Set<String>, operators: [String]) throws {
    let path = Paths.sample("PyTorch/\(name)")
    let error = try #require(failure { _ = try Model(contentsOf: path) })
    #expect(error.code == .unsupported && error.reason.contains("torch.onnx.export("), "\(error)")
    let outline = try #require(
      ModelReader.outline(path, options: ReadOptions(), refusedBy: error))
    #expect(outline.format == form)
    #expect(Set(outline.weights.map { "\($0.name) \($0.type)" }) == tensors)
    #expect(outline.weights.count == tensors.count)
    #expect(outline.notes.count == 1)
    for count in operators { #expect(outline.notes[0].contains(count), "\(outline.notes)") }
  }
}
