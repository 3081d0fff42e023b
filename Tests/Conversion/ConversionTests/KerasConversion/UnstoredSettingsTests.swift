import TestSupport
import Testing
import Weighbridge

/// Settings that some version of Keras did not write: the default is taken, and said. (What the
/// recorded models compute is compared by ``OldKerasTests``.)
@Suite struct UnstoredSettingsTests {
  @Test(
    "A setting that the version did not write is stated",
    arguments: [
      ("2.2.4-tensorflow1.13/upsampling", "interpolation is taken to be nearest"),
      ("2.2.4-tensorflow1.14/upsampling", "interpolation is taken to be nearest"),
      ("2.2.4-tensorflow1.14/attention", "causal is taken to be false"),
      ("2.12.0-tensorflow2.12/normalization", "invert is taken to be false"),
      ("3.12.1-tensorflow2.21/transposed_convolutions", "output_padding is taken to be null"),
      ("1.2.2-tensorflow/conv_lstm_tf", "subsample is taken to be [1, 1]"),
      ("../Operations/tensorflow23/hashes", "salt is taken to be null"),
    ])
  func stated(_ sample: String, _ text: String) throws {
    let model = try Model(contentsOf: Paths.sample("Keras/\(sample).h5"))
    let decisions = model.provenance.decisions.map(\.text)
    #expect(decisions.contains { $0.hasPrefix(text) }, "\(decisions)")
    var options = ReadOptions()
    options.strict = true
    let error = failure {
      _ = try Model(contentsOf: Paths.sample("Keras/\(sample).h5"), options: options)
    }
    #expect(error?.code == .unsupported)
    #expect(error?.reason.contains(text) == true, "\(error as Any)")
  }

  @Test(
    "A setting that the file has is not",
    arguments: ["Keras/2.2.4-tensorflow1.15/doubles", "Operations/tensorflow23/pictures"])
  func stored(_ sample: String) throws {
    var options = ReadOptions()
    options.strict = true
    let model = try Model(contentsOf: Paths.sample("\(sample).h5"), options: options)
    #expect(!model.provenance.decisions.contains { $0.text.contains("is taken to be") })
  }
}
