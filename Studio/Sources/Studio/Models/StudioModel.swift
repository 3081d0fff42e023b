import Foundation
import HTTPTypes
import ImageSearch
import Weighbridge

/// A model of the folder, ready for what it can do.
package struct StudioModel: Sendable {
  /// What a model does with a picture.
  enum Tool: Sendable {
    case detector(Detector)
    case classifier(Classifier)
    case stylizer(Stylizer)
    /// Nothing, and why.
    case none(String)
  }

  /// The file's name.
  package let name: String
  /// The file.
  package let path: String
  let tool: Tool
  let labels: [String]

  /// Reads a model and finds out what it does.
  ///
  /// - Parameter cancellation: Stops its runs.
  init(path: String, cancellation: Cancellation) {
    self.path = path
    name = String(path.split(separator: "/").last ?? "")
    let made: (tool: Tool, labels: [String])
    do throws(WeighbridgeError) {
      let model = try Model(contentsOf: path)
      made = (try Self.tool(of: model, cancellation), model.metadata.labels)
    } catch {
      made = (.none(Wording.namingOptions(error.description)), [])
    }
    (tool, labels) = made
  }

  private static func tool(
    of model: Model, _ cancellation: Cancellation
  ) throws(WeighbridgeError) -> Tool {
    guard model.metadata.detector == nil else {
      var options = DetectOptions()
      options.run.cancellation = cancellation
      return .detector(try Detector(model, options: options))
    }
    var options = ClassifyOptions()
    options.run.cancellation = cancellation
    if let classifier = try? Classifier(model, options: options) { return .classifier(classifier) }
    var style = StylizeOptions()
    style.run.cancellation = cancellation
    return .stylizer(try Stylizer(model, options: style))
  }

  /// The word for what it does.
  var kind: String {
    switch tool {
    case .detector: "detector"
    case .classifier: "classifier"
    case .stylizer: "style"
    case .none: "other"
    }
  }

  /// Why it can do nothing with pictures; `nil` when it can.
  package var problem: String? { if case .none(let reason) = tool { reason } else { nil } }

  /// The layer before the last one with weights: what a classifier knows of a picture before it decides.
  ///
  /// - Throws: ``StudioError`` when there is none.
  func featureLayer() throws -> String {
    let layers = try Inspection(of: path).layers
    guard let last = layers.lastIndex(where: { $0.parameterCount > 0 }), last > 0 else {
      throw StudioError(.unprocessableContent, "\(name) has no layer before its last one.")
    }
    return layers[last - 1].name
  }
}
