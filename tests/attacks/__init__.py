"""What attackers tried on a running Recto: a case for each way that once got through."""
