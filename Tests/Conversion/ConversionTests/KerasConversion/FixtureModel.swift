import TestSupport
import Testing
import Weighbridge

/// A whole model among the reference files, and how close to Keras it must come.
struct FixtureModel: CustomTestStringConvertible, Sendable {
  let folder: String
  let file: String
  var architecture: String?
  /// The largest allowed max|actual - expected|; by default 1e-5 relative to the outputs.
  var absolute: Double?

  var testDescription: String { file }
  var path: String { Fixtures.file("keras/\(folder)/\(file)") }
  var inputs: String { Fixtures.file("keras/\(folder)/input.npy") }
  var outputs: String { Fixtures.file("keras/\(folder)/outputs.npz") }

  var options: ReadOptions {
    var options = ReadOptions()
    options.architecture = architecture.map { Fixtures.file("keras/\(folder)/\($0)") }
    return options
  }

  static let tinyYOLO = FixtureModel(
    folder: "seeds/tinyyolo", file: "tinyyolo_voc2007_modelweights.h5", absolute: 2e-5)

  static let all = [
    tinyYOLO,
    FixtureModel(folder: "seeds/sketchclassifier", file: "cnnsketchclassifier.h5"),
    FixtureModel(
      folder: "seeds/small_unet", file: "small_unet_weightsonly.h5",
      architecture: "small_unet_arch.json"),
    FixtureModel(folder: "real/emotion_model", file: "emotion_model.hdf5"),
    FixtureModel(folder: "real/fer2013_big_XCEPTION", file: "fer2013_big_XCEPTION.hdf5"),
    FixtureModel(folder: "real/tiny_XCEPTION_KDEF", file: "tiny_XCEPTION_KDEF.hdf5"),
  ]
}
