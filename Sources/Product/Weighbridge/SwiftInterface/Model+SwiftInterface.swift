import ModelUse

extension Model {
  /// Returns the source of a typed Swift interface of the model: a class with a prediction method,
  /// and structs for its inputs and outputs, with the model's own names and descriptions.
  ///
  /// For a detector or a classifier, the output struct also has the detections or classes. The code
  /// imports the library Weighbridge; ``ModelInterface`` does the work.
  ///
  /// - Parameters:
  ///   - name: The class's name; characters that are not allowed in an identifier are left out.
  ///   - bundled: The name of the model's file in the target's bundle, if it is there.
  public func swiftInterface(named name: String, bundled: String? = nil) -> String {
    SwiftInterface(content, named: name, bundled: bundled).source
  }
}
