public import CWeighbridge
import JSON
import Vision
import Weighbridge

/// An open classifier.
final class OpenClassifier: ImageTarget {
  static let kind: UInt64 = 5
  static let title = "a classifier"

  let access = ExclusiveAccess()
  private let classifier: Classifier
  private let interruption: Interruption

  init(_ model: Model, _ options: UnsafePointer<weighbridge_classify_options>?) throws {
    var interruption = Interruption()
    let cOptions = try weighbridge_classify_options(options)
    var options = try ClassifyOptions(members: cOptions)
    options.run = try RunOptions(cOptions.run, &interruption)
    classifier = try Classifier(model, options: options)
    self.interruption = interruption
  }

  func result(for image: Image) throws -> JSONValue {
    interruption.reset()
    return .array(try classifier.classify(image).map(\.json))
  }
}

/// `weighbridge_classifier_open`
@_cdecl("weighbridge_classifier_open")
public func openClassifier(
  _ model: weighbridge_model, _ options: UnsafePointer<weighbridge_classify_options>?,
  _ classifier: UnsafeMutablePointer<weighbridge_classifier>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  perform(error) {
    let result = try required(classifier, "classifier")
    let open = try OpenClassifier(OpenModel.of(model).model, options)
    result.pointee = HandleTable.shared.add(open)
  }
}

/// `weighbridge_classifier_close`
@_cdecl("weighbridge_classifier_close")
public func closeClassifier(
  _ classifier: weighbridge_classifier, _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  close(classifier, OpenClassifier.self, error)
}

/// `weighbridge_classifier_file`
@_cdecl("weighbridge_classifier_file")
public func classifyFile(
  _ classifier: weighbridge_classifier, _ path: UnsafePointer<CChar>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: classifier, OpenClassifier.self, file: path, json, error)
}

/// `weighbridge_classifier_pixels`
@_cdecl("weighbridge_classifier_pixels")
public func classifyPixels(
  _ classifier: weighbridge_classifier, _ image: UnsafePointer<weighbridge_array>?,
  _ json: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?,
  _ error: UnsafeMutablePointer<weighbridge_error>?
) -> weighbridge_status {
  result(of: classifier, OpenClassifier.self, pixels: image, json, error)
}
