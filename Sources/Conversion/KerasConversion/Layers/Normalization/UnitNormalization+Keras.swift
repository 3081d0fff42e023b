import Bytes
import ConversionCore
import GraphIR
import JSON
import LayerCatalog

extension UnitNormalization: KerasMapped {
  /// Keras: `UnitNormalization(axis=-1)`, where `axis` may be a list.
  static let keras = KerasMapping(
    [
      .elementwise("UnitNormalization") { (layer, inputs) throws(WeighbridgeError) in
        let type = layer.graph.type(of: try layer.onlyInput(inputs))
        return try layer.add(
          UnitNormalization(axes: try layer.axes("axis", of: type).sorted()), inputs)
      }
    ],
    rows: [
      KerasRow(UnitNormalization.self) { (operation, builder) throws(WeighbridgeError) in
        try builder.layer("UnitNormalization", ["axis": .axes(operation.axes)])
      }
    ])
}
