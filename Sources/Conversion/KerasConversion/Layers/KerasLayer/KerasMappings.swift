import Bytes
import GraphIR
package import KerasFormat
import LayerCatalog

/// The mappings of Keras' layers and activation functions.
package enum KerasMappings {
  /// The mappings by the kind of the operator that the layers become in most cases.
  package static let byKind: [String: KerasMapping] = {
    var mappings: [String: KerasMapping] = [:]
    for type in Catalog.all {
      mappings[type.kind] = (type as? any KerasMapped.Type)?.keras
    }
    // Every function has an operator for a batch of vectors.
    let vectors = TensorType(.float32, [.unknown, .fixed(2)])
    for (name, make) in activations {
      guard let kind = try? make(KerasVersion(3, 0), vectors).kind else { continue }
      mappings[kind, default: KerasMapping([])].activations[name] = make
    }
    return mappings
  }()

  /// How the operators are written in Keras.
  static let rows = Catalog.all.compactMap { ($0 as? any KerasMapped.Type)?.kerasRow }

  /// The builders of Keras' layers, by class name.
  package static let layers = classes.compactMapValues(\.build)

  /// The builder of a layer of Keras, which must be in the table.
  static func builder(of className: String) -> KerasMapping.Build {
    guard let build = layers[className] else {
      preconditionFailure("there is no builder for Keras' \(className)")
    }
    return build
  }

  /// Keras' layer classes, by name.
  static let classes: [String: KerasLayerClass] = {
    let operators = Catalog.all.compactMap { ($0 as? any KerasMapped.Type)?.keras.classes }
    return Dictionary(
      (operators.joined() + KerasLayerClass.withoutBuilder).map { ($0.name, $0) },
      uniquingKeysWith: { first, _ in first })
  }()

  /// The objects with weights inside layers, by the layers' class.
  package static let parts = classes.mapValues(\.parts)
}

extension KerasLayerClass {
  /// Classes that do not become operators by themselves.
  static let withoutBuilder: [KerasLayerClass] =
    [
      .withoutBuilder("StackedRNNCells", parts: KerasLayerParts(list: "cells")),
      .withoutBuilder("StringLookup", casts: .none),
      .withoutBuilder(
        "TextVectorization",
        parts: KerasLayerParts(
          [.init(["_lookup_layer"])], trainable: .none, alias: "_lookup_layer/vars/idf_weights")),
    ] + functions

  /// Classes of functions that a model uses as layers, whose inputs Keras does not cast.
  private static let functions = [
    "ClassMethod", "InstanceMethod", "InstanceProperty", "SlicingOpLambda", "TFOpLambda",
    "TensorFlowOpLayer",
  ].map { KerasLayerClass.withoutBuilder($0, casts: .none) }
}
