import Bytes
import DetectorRecord
package import GraphIR
package import JSON

extension DetectorDescription {
  /// The detector as `Schemas/metadata.schema.json` describes it.
  package var json: JSONValue { JSONFieldWriter.json(fields) }
}
